package bearer_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// noon is 30 s into a minute, in the last days of a month.
var (
	noon       = time.Date(2026, 2, 27, 12, 0, 30, 0, time.UTC)
	nextMinute = time.Date(2026, 2, 27, 12, 1, 0, 0, time.UTC)
)

// published are the scopes that a new key gets.
var published = []host.Scope{"audit:read", "aoc:read", "aoc:write", "rulesets:read", "rulesets:write"}

// A fixture is an authenticator with real keys and counters.
type fixture struct {
	*bearer.Authenticator
	keys  keys.Store
	meter quota.Meter
	now   time.Time

	mu      sync.Mutex
	refused []bearer.Rejection
	visits  int
}

// build returns a fixture whose clock is at noon.
func build(t *testing.T, changes ...func(*bearer.Config)) *fixture {
	t.Helper()
	h := &fixture{now: noon}
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	clock := func() time.Time { return h.now }
	var err error
	if h.keys, err = keys.OpenFile(filepath.Join(dir, "keys"), log, clock, published...); err != nil {
		t.Fatal(err)
	}
	if h.meter, err = quota.OpenLocal(t.Context(), filepath.Join(dir, "quota"), log); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(h.keys.Close(), h.meter.Close()); err != nil {
			t.Error(err)
		}
	})
	cfg := bearer.Config{Ring: h.keys, Meter: h.meter, Now: clock, Rejected: h.hear}
	for _, change := range changes {
		change(&cfg)
	}
	h.Authenticator = bearer.New(cfg)
	return h
}

func (h *fixture) hear(_ context.Context, r bearer.Rejection) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refused = append(h.refused, r)
}

// heard are the refusals so far.
func (h *fixture) heard() []bearer.Rejection {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]bearer.Rejection(nil), h.refused...)
}

// key makes a key.
func (h *fixture) key(t *testing.T, s keys.Settings) (id, token string) {
	t.Helper()
	record, secret, err := h.keys.Create(t.Context(), keys.Live, s)
	if err != nil {
		t.Fatal(err)
	}
	return record.ID, secret.Reveal()
}

// visit is a request from an address with values of the header Authorization.
func visit(from string, authorization ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "https://localhost/mcp", http.NoBody)
	r.RemoteAddr = from
	if len(authorization) > 0 {
		r.Header["Authorization"] = authorization
	}
	return r
}

// admit visits from a loopback address with a token, which must be let in.
func (h *fixture) admit(t *testing.T, token string) host.Caller {
	t.Helper()
	caller, refused := h.Authenticate(http.Header{}, visit("127.0.0.1:40000", "Bearer "+token))
	if refused != nil {
		t.Fatalf("refused with %d: %v", refused.Status, refused.Error)
	}
	return caller
}

// details is data.details of a refusal.
func details(t *testing.T, r *streamable.Refusal) string {
	t.Helper()
	var data struct {
		Details string `json:"details"`
	}
	if err := json.Unmarshal(r.Error.Data, &data); err != nil {
		t.Fatalf("data %s: %v", r.Error.Data, err)
	}
	return data.Details
}

// brokenRing and brokenMeter stand for stores that cannot be reached.
type brokenRing struct{ err error }

func (b brokenRing) Find(context.Context, keys.Token) (keys.Record, error) {
	return keys.Record{}, b.err
}

type brokenMeter struct{ err error }

func (b brokenMeter) Take(context.Context, string, quota.Limits, time.Time) (quota.Usage, error) {
	return quota.Usage{}, b.err
}

func (b brokenMeter) TakeAll(context.Context, string, quota.Limits, int64, time.Time) (quota.Usage, error) {
	return quota.Usage{}, b.err
}

func (b brokenMeter) Peek(context.Context, string, quota.Limits, time.Time) (quota.Usage, error) {
	return quota.Usage{}, b.err
}

func (brokenMeter) Close() error { return nil }
