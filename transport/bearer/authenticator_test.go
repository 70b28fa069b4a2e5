package bearer_test

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
)

const local = "127.0.0.1:40000"

// The challenges of RFC 6750, section 3: without credentials there is no error.
const (
	plainChallenge   = `Bearer realm="triptych"`
	invalidChallenge = `Bearer realm="triptych", error="invalid_token"`
)

func TestAdmit(t *testing.T) {
	h := build(t)
	id, token := h.key(t, keys.Settings{Scopes: []host.Scope{"aoc:read"}, Plan: quota.Team})
	for _, scheme := range []string{"Bearer ", "bearer ", "BEARER ", "Bearer   "} {
		header := http.Header{}
		caller, refused := h.Authenticate(header, visit("192.0.2.7:1234", scheme+token))
		if refused != nil {
			t.Fatalf("%q: refused with %d: %v", scheme, refused.Status, refused.Error)
		}
		if got := caller.Principal; got.ID != id || !slices.Equal(got.Scopes, []host.Scope{"aoc:read"}) {
			t.Errorf("%q: principal %s with %v, want %s with aoc:read", scheme, got.ID, got.Scopes, id)
		}
		if want := netip.MustParseAddrPort("192.0.2.7:1234"); caller.Addr != want {
			t.Errorf("%q: from %v, want %v", scheme, caller.Addr, want)
		}
		if len(header) > 0 {
			t.Errorf("%q: headers %v, want none before the charge", scheme, header)
		}
	}
	if heard := h.heard(); len(heard) > 0 {
		t.Errorf("refusals %+v, want none", heard)
	}
}

// A key without any scope has no right; the nil list of the local principal
// would have them all.
func TestAdmitWithoutScopes(t *testing.T) {
	h := build(t)
	_, token := h.key(t, keys.Settings{Scopes: []host.Scope{}})
	if got := h.admit(t, token).Principal.Scopes; got == nil || len(got) > 0 {
		t.Errorf("scopes %#v, want an empty list that is not nil", got)
	}
}

// mistyped is a token with one character changed.
func mistyped(token string) string {
	last := token[len(token)-1]
	if last == 'x' {
		return token[:len(token)-1] + "y"
	}
	return token[:len(token)-1] + "x"
}

// The refusals of CONTRACT §2, each with its code, status, headers and record.
func TestRefusals(t *testing.T) {
	h := build(t)
	expiring, expired := h.key(t, keys.Settings{Expires: noon.Add(time.Minute)})
	fenced, foreign := h.key(t, keys.Settings{Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	stopped, revoked := h.key(t, keys.Settings{})
	if _, err := h.keys.Revoke(t.Context(), stopped); err != nil {
		t.Fatal(err)
	}
	_, good := h.key(t, keys.Settings{})
	never := keys.NewToken(keys.Live).Reveal()
	h.now = noon.Add(time.Minute) // the very moment of the expiry
	tests := []struct {
		name          string
		authorization []string
		status        int
		code          jsonrpc.Code
		message       string
		details       string // part of it
		challenge     string
		key           string // in the record
	}{
		{"no header", nil, 401, -32001, "Authentication failed", "Authorization: Bearer KEY is missing", plainChallenge, ""},
		{"an empty header", []string{""}, 401, -32001, "Authentication failed", "must be one", invalidChallenge, ""},
		{"another scheme", []string{"Basic " + good}, 401, -32001, "Authentication failed", "must be one", invalidChallenge, ""},
		{"the key alone", []string{good}, 401, -32001, "Authentication failed", "must be one", invalidChallenge, ""},
		{"two headers", []string{"Bearer " + good, "Bearer " + good}, 401, -32001, "Authentication failed", "must be one", invalidChallenge, ""},
		{"two keys in one header", []string{"Bearer " + good + ", Bearer " + good}, 401, -32001, "Authentication failed", "not one of ours", invalidChallenge, ""},
		{"no key behind the scheme", []string{"Bearer "}, 401, -32001, "Authentication failed", "not one of ours", invalidChallenge, ""},
		{"mistyped", []string{"Bearer " + mistyped(good)}, 401, -32001, "Authentication failed", "mistyped", invalidChallenge, ""},
		{"cut off", []string{"Bearer " + good[:len(good)-1]}, 401, -32001, "Authentication failed", "cut off", invalidChallenge, ""},
		{"never made", []string{"Bearer " + never}, 401, -32001, "Authentication failed", "unknown", invalidChallenge, ""},
		{"revoked", []string{"Bearer " + revoked}, 401, -32001, "Authentication failed", "revoked", invalidChallenge, stopped},
		{"expired", []string{"Bearer " + expired}, 401, -32010, "License expired", "expired", invalidChallenge, expiring},
		{"a foreign address", []string{"Bearer " + foreign}, 403, -32003, "Permission denied", "127.0.0.1", "", fenced},
		{"an access token without an issuer", []string{"Bearer a.b.c"}, 401, -32001, "Authentication failed", "not one of ours", invalidChallenge, ""},
	}
	for i, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			header := http.Header{}
			from := fmt.Sprintf("127.0.0.1:%d", 40000+i)
			if tc.code == -32001 {
				from = fmt.Sprintf("[2001:db8:0:%x::1]:40000", i+1) // each a network of its own, so that none is held up
			}
			before := len(h.heard())
			_, refused := h.Authenticate(header, visit(from, tc.authorization...))
			if refused == nil {
				t.Fatal("let in")
			}
			if refused.Status != tc.status || refused.Error.Code != tc.code || refused.Error.Message != tc.message {
				t.Errorf("got %d, %d %q, want %d, %d %q", refused.Status, refused.Error.Code, refused.Error.Message, tc.status, tc.code, tc.message)
			}
			if got := details(t, refused); !strings.Contains(got, tc.details) {
				t.Errorf("details %q, want %q in it", got, tc.details)
			}
			if got := header.Get("WWW-Authenticate"); got != tc.challenge {
				t.Errorf("WWW-Authenticate: %s, want %s", got, tc.challenge)
			}
			if got := header.Get("Retry-After"); got != "" {
				t.Errorf("Retry-After: %s, want none", got)
			}
			want := []bearer.Rejection{{Key: tc.key, Addr: netip.MustParseAddrPort(from).Addr(), Code: tc.code}}
			if diff := cmp.Diff(want, h.heard()[before:], cmpopts.IgnoreFields(bearer.Rejection{}, "Reason"), compareAddrs); diff != "" {
				t.Errorf("recorded (-want +got):\n%s", diff)
			}
			hides(t, refused.Error, header, good, foreign, revoked, expired, never)
		})
	}
}

var compareAddrs = cmp.Comparer(func(a, b netip.Addr) bool { return a == b })

// hides checks that a refusal does not say any secret again.
func hides(t *testing.T, err *jsonrpc.Error, header http.Header, secrets ...string) {
	t.Helper()
	said := fmt.Sprint(err.Message, string(err.Data), header)
	for _, secret := range secrets {
		if strings.Contains(said, secret[12:30]) {
			t.Errorf("the refusal says part of a key: %s", said)
		}
	}
}

// Keys that cannot be looked up are neither good nor bad, and no guesses.
func TestKeysOutOfReach(t *testing.T) {
	h := build(t, func(c *bearer.Config) {
		c.Ring = brokenRing{fmt.Errorf("%w: connection refused by 10.1.2.3", keys.ErrUnavailable)}
	})
	for range 20 { // no answer is delayed: a delay would take seconds
		header := http.Header{}
		_, refused := h.Authenticate(header, visit(local, "Bearer "+keys.NewToken(keys.Live).Reveal()))
		if refused == nil || refused.Status != http.StatusServiceUnavailable || refused.Error.Code != jsonrpc.CodeInternalError {
			t.Fatalf("got %+v, want 503 with -32603", refused)
		}
		if got := header.Get("Retry-After"); got != "1" {
			t.Errorf("Retry-After: %q, want 1", got)
		}
		if got := header.Get("WWW-Authenticate"); got != "" {
			t.Errorf("WWW-Authenticate: %s, want none", got)
		}
		if got := details(t, refused); strings.Contains(got, "10.1.2.3") {
			t.Errorf("details %q tell about the inside", got)
		}
	}
}

// Broader scopes are listed as they are in RFC 6750, section 3.1.
func TestForbidden(t *testing.T) {
	const metadata = "https://example.com/.well-known/oauth-protected-resource/mcp"
	missing := jsonrpc.Errorf(host.CodePermissionDenied, "Permission denied").WithData(map[string]string{"details": "…", "scope": "aoc:write"})
	tests := []struct {
		name     string
		metadata string
		err      *jsonrpc.Error
		want     string
	}{
		{"a scope", "", missing, `Bearer realm="triptych", error="insufficient_scope", scope="aoc:write"`},
		{"something else", "", jsonrpc.Errorf(host.CodePermissionDenied, "Permission denied"), `Bearer realm="triptych", error="insufficient_scope"`},
		{"with an issuer", metadata, missing, `Bearer realm="triptych", error="insufficient_scope", scope="aoc:write", resource_metadata="` + metadata + `"`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			header := http.Header{}
			bearer.New(bearer.Config{Metadata: tc.metadata}).Forbid(header, tc.err)
			if got := header.Get("WWW-Authenticate"); got != tc.want {
				t.Errorf("WWW-Authenticate: %s, want %s", got, tc.want)
			}
		})
	}
}

// What changes about a key while it has a stream open ends the stream, unless
// the key only gained.
func TestAdmits(t *testing.T) {
	change := func(edit func(*keys.Settings)) func(*testing.T, *fixture, string) {
		return func(t *testing.T, h *fixture, id string) {
			t.Helper()
			if _, err := h.keys.Update(t.Context(), id, func(s *keys.Settings) error { edit(s); return nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct {
		name   string
		change func(*testing.T, *fixture, string)
		want   bool
	}{
		{"nothing", func(*testing.T, *fixture, string) {}, true},
		{"more rights", change(func(s *keys.Settings) { s.Scopes = append(s.Scopes, "aoc:write") }), true},
		{"fewer rights", change(func(s *keys.Settings) { s.Scopes = []host.Scope{"rulesets:read"} }), false},
		{"other addresses", change(func(s *keys.Settings) { s.Allow = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")} }), false},
		{"another plan", change(func(s *keys.Settings) { s.Plan = quota.Team }), true},
		{"an expiry", change(func(s *keys.Settings) { s.Expires = noon }), false},
		{"revoked", func(t *testing.T, h *fixture, id string) {
			t.Helper()
			if _, err := h.keys.Revoke(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"rotated", func(t *testing.T, h *fixture, id string) {
			t.Helper()
			if _, _, err := h.keys.Rotate(t.Context(), id, 0); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"rotated with time", func(t *testing.T, h *fixture, id string) {
			t.Helper()
			if _, _, err := h.keys.Rotate(t.Context(), id, time.Minute); err != nil {
				t.Fatal(err)
			}
		}, true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			h := build(t)
			id, token := h.key(t, keys.Settings{Scopes: []host.Scope{"aoc:read", "rulesets:read"}})
			caller := h.admit(t, token)
			tc.change(t, h, id)
			if got := h.Valid(t.Context(), &caller); got != tc.want {
				t.Errorf("still admitted: %v, want %v", got, tc.want)
			}
		})
	}
}

// While keys cannot be looked up, streams that are open stay so.
func TestAdmitsOutOfReach(t *testing.T) {
	var ring keys.Ring
	h := build(t, func(c *bearer.Config) {
		ring = c.Ring
		c.Ring = findFunc(func(ctx context.Context, token keys.Token) (keys.Record, error) { return ring.Find(ctx, token) })
	})
	_, token := h.key(t, keys.Settings{})
	caller := h.admit(t, token)
	ring = brokenRing{keys.ErrUnavailable}
	if !h.Valid(t.Context(), &caller) {
		t.Error("sent away")
	}
}

// A findFunc is a ring that can be exchanged.
type findFunc func(context.Context, keys.Token) (keys.Record, error)

func (f findFunc) Find(ctx context.Context, t keys.Token) (keys.Record, error) { return f(ctx, t) }
