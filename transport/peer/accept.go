package peer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net/http"
	"time"

	"github.com/triptych-mcp/triptych/transport/requestid"
)

// passedOn is the context key of requests that another server has passed on.
type passedOn struct{}

// IsPassedOn reports whether the request of a context was passed on by another server,
// which has examined its Host and its Origin. It must be answered here.
func IsPassedOn(ctx context.Context) bool { return ctx.Value(passedOn{}) != nil }

// Accept returns a handler that accepts requests which other servers have passed on to
// the server with the tag self, and gives them the address of the client. Requests of
// clients go to next as they are.
func Accept(key *Key, self string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, passed := r.Header[Header]; !passed {
			next.ServeHTTP(w, r)
			return
		}
		e, err := key.open(r, time.Now())
		switch {
		case err != nil:
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		case e.to != self: // a server that had this address before
			w.Header().Set(Header, self)
			http.Error(w, "this is another server", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, e.unwrap(r))
	})
}

// unwrap returns the request as the client has sent it.
func (e *envelope) unwrap(r *http.Request) *http.Request {
	ctx := context.WithValue(r.Context(), passedOn{}, true)
	if id := requestid.FromHeader(r.Header); id != "" {
		ctx = requestid.NewContext(ctx, id)
	}
	r = r.WithContext(ctx)
	r.Header = r.Header.Clone()
	for _, name := range []string{Header, "X-Forwarded-For", "Forwarded"} {
		delete(r.Header, name)
	}
	r.RemoteAddr = e.from
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = &checkedBody{ReadCloser: r.Body, hash: sha256.New(), want: e.body}
	}
	return r
}

// A checkedBody is a body whose end is an error unless it has the right hash.
type checkedBody struct {
	io.ReadCloser
	hash hash.Hash
	want string
}

var errChanged = errors.New("the body is not the one that was passed on")

// Read implements [io.Reader].
func (b *checkedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	_, _ = b.hash.Write(p[:n]) // a hash takes every byte
	if errors.Is(err, io.EOF) && hex.EncodeToString(b.hash.Sum(nil)) != b.want {
		return n, errChanged
	}
	return n, err
}
