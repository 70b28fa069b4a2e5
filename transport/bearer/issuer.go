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

// A keySet holds the issuer's keys. It fetches them again when they are old, so that
// withdrawn keys stop working: after keysFresh if the issuer answers, and after keysLast
// at the latest.
type keySet struct {
	client *http.Client
	url    string
	now    func() time.Time

	mu    sync.Mutex
	keys  *oidc.RemoteKeySet // nil at first
	since time.Time          // time of the fetch
	next  *oidc.RemoteKeySet // replaces keys when fetched; nil while they are fresh
}

// awayKey is the context key of an *error that the key set fills in when the issuer
// cannot be reached: go-oidc passes on only the text of errors.
type awayKey struct{}

// VerifySignature implements [oidc.KeySet]. It returns the payload of a token that one of
// the keys has signed. It may ask the issuer, without holding the lock; the error that
// the issuer cannot be reached is also stored for [OIDC.Verify].
func (s *keySet) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	keys, next, age := s.current()
	if next != nil {
		payload, err := verifySignature(ctx, next, jwt)
		if !isAway(err) {
			s.replace(next)
			return payload, err
		}
		s.drop(next)
		if keys == nil || age >= keysLast {
			return nil, storeError(ctx, err)
		}
	}
	payload, err := verifySignature(ctx, keys, jwt)
	if isAway(err) && !errors.Is(err, errTooSoon) {
		return nil, storeError(ctx, err)
	}
	return payload, err
}

// verifySignature verifies a signature with one set, which looks into its cache before it
// asks the issuer, and not again. If the keys came between the two, it asks a second time,
// too soon: they are cached by then.
func verifySignature(ctx context.Context, set oidc.KeySet, jwt string) ([]byte, error) {
	payload, err := set.VerifySignature(ctx, jwt)
	if errors.Is(err, errTooSoon) {
		return set.VerifySignature(ctx, jwt)
	}
	return payload, err
}

// current returns the keys and, when they are not fresh, a set to try first: the same
// for all callers, so that the issuer is asked once.
func (s *keySet) current() (keys, next *oidc.RemoteKeySet, age time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	age = s.now().Sub(s.since)
	if s.next == nil && (s.keys == nil || age >= keysFresh) {
		s.next = oidc.NewRemoteKeySet(oidc.ClientContext(context.Background(), s.client), s.url)
	}
	return s.keys, s.next, age
}

// replace makes the next keys current; further calls do nothing.
func (s *keySet) replace(next *oidc.RemoteKeySet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == next {
		s.keys, s.since, s.next = next, s.now(), nil
	}
}

// drop forgets next keys that could not be fetched: a set of go-oidc gives the failure of one
// fetch also to those who ask just after it.
func (s *keySet) drop(next *oidc.RemoteKeySet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == next {
		s.next = nil
	}
}

// isAway reports whether a signature could not be checked because no keys were
// fetched: then the error wraps that of the fetch. An error of the signature wraps
// none.
func isAway(err error) bool { return errors.Unwrap(err) != nil }

// storeError stores the error in the context's [awayKey], if it has one, and returns it.
func storeError(ctx context.Context, err error) error {
	if away, ok := ctx.Value(awayKey{}).(*error); ok {
		*away = err
	}
	return err
}

// A calm round tripper sends a request for a URL at most every few seconds, and bounds
// the answers.
type calm struct {
	next http.RoundTripper
	now  func() time.Time

	mu   sync.Mutex
	last map[string]time.Time // by URL, of which an issuer has two
}

// errTooSoon is the error of a question that was asked less than askAgain ago.
var errTooSoon = errors.New("the issuer was asked a moment ago")

// maxAnswer bounds what is read of the issuer's answers.
const maxAnswer = 1 << 20

// RoundTrip implements [http.RoundTripper]. It returns errTooSoon instead of a second
// request for the same URL within askAgain.
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

// may reports whether a URL may be asked now, and notes that it is. A clock that was
// set back does not keep it from being asked.
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

// words unmarshals words in one string or in a list.
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
