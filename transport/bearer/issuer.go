package bearer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// A keySet is the issuer's keys. They are asked for again when they are old, so
// that keys which the issuer withdrew stop working.
type keySet struct {
	client *http.Client
	url    string
	now    func() time.Time

	mu    sync.Mutex
	keys  *oidc.RemoteKeySet // nil at first
	since time.Time          // when they came
	next  *oidc.RemoteKeySet // what replaces them, nil while they are fresh
}

// awayKey finds the error in a context that tells a key set's caller that the
// issuer is away: go-oidc hands on the text of errors only.
type awayKey struct{}

// VerifySignature implements [oidc.KeySet].
func (s *keySet) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	keys, next, age := s.current()
	if next != nil {
		payload, err := next.VerifySignature(ctx, jwt)
		if !isAway(err) {
			s.replace(next)
			return payload, err
		}
		if keys == nil || age >= keysLast {
			return nil, tell(ctx, err)
		}
	}
	payload, err := keys.VerifySignature(ctx, jwt)
	if isAway(err) && !errors.Is(err, errTooSoon) {
		return nil, tell(ctx, err)
	}
	return payload, err
}

// current returns the keys and, when they are not fresh, the ones to try before
// them: the same for all who ask meanwhile, so that the issuer is asked once.
func (s *keySet) current() (keys, next *oidc.RemoteKeySet, age time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	age = s.now().Sub(s.since)
	if s.next == nil && (s.keys == nil || age >= keysFresh) {
		s.next = oidc.NewRemoteKeySet(oidc.ClientContext(context.Background(), s.client), s.url)
	}
	return s.keys, s.next, age
}

// replace takes the next keys into use; only the first call does.
func (s *keySet) replace(next *oidc.RemoteKeySet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == next {
		s.keys, s.since, s.next = next, s.now(), nil
	}
}

// isAway reports whether a signature could not be checked for want of keys:
// then the error wraps that of asking. One about the signature wraps none.
func isAway(err error) bool { return errors.Unwrap(err) != nil }

// tell leaves the error for [OIDC.Verify].
func tell(ctx context.Context, err error) error {
	if away, ok := ctx.Value(awayKey{}).(*error); ok {
		*away = err
	}
	return err
}

// A calm client asks each question at most every few seconds, and reads so much
// of an answer.
type calm struct {
	next http.RoundTripper
	now  func() time.Time

	mu   sync.Mutex
	last map[string]time.Time // by URL, of which an issuer has two
}

var errTooSoon = errors.New("the issuer was asked a moment ago")

// maxAnswer bounds what is read of the issuer's answers.
const maxAnswer = 1 << 20

// RoundTrip implements [http.RoundTripper].
func (c *calm) RoundTrip(r *http.Request) (*http.Response, error) {
	if !c.may(r.URL.String()) {
		return nil, errTooSoon
	}
	next := c.next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	return resp, nil
}

func (c *calm) may(url string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if last, asked := c.last[url]; asked && now.Sub(last) < askAgain && !now.Before(last) {
		return false
	}
	c.last[url] = now
	return true
}

// words are words in one string or in a list.
type words []string

// UnmarshalJSON implements [json.Unmarshaler].
func (w *words) UnmarshalJSON(text []byte) error {
	var list []string
	if json.Unmarshal(text, &list) == nil {
		*w = list
		return nil
	}
	var line string
	if err := json.Unmarshal(text, &line); err != nil {
		return err
	}
	*w = strings.Fields(line)
	return nil
}
