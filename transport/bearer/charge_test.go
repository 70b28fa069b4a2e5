package bearer_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// charge charges n requests and returns what the answer's headers say.
func (h *fixture) charge(t *testing.T, caller host.Caller, n int) (http.Header, *streamable.Refusal) {
	t.Helper()
	header := http.Header{}
	refused := h.Charge(t.Context(), header, &caller, host.BaselineRevision(), streamable.Bill{Calls: n})
	return header, refused
}

// limits are the rate-limit headers.
func limits(limit, remaining, reset string) http.Header {
	return http.Header{"X-Ratelimit-Limit": {limit}, "X-Ratelimit-Remaining": {remaining}, "X-Ratelimit-Reset": {reset}}
}

// The window with the smaller share left is shown: of the plan Free, 10 a
// minute and 100 a month, that is the minute. It ends at 12:01:00, which is
// 1772193660 in Unix seconds.
func TestCharge(t *testing.T) {
	h := build(t)
	id, token := h.key(t, keys.Settings{Plan: quota.Free})
	caller := h.admit(t, token)
	const reset = "1772193660"
	steps := []struct {
		name   string
		n      int
		want   http.Header
		status int
	}{
		{"nothing", 0, limits("100", "100", "1772323200"), 0}, // equal shares: the month, until 1 March
		{"one", 1, limits("10", "9", reset), 0},
		{"nothing again", 0, limits("10", "9", reset), 0},
		{"a batch", 4, limits("10", "5", reset), 0},
		{"a batch that is too large", 6, limits("10", "5", reset), 429},
		{"a batch that fits", 5, limits("10", "0", reset), 0},
		{"one too many", 1, limits("10", "0", reset), 429},
		{"nothing, which is always there", 0, limits("10", "0", reset), 0},
	}
	for _, step := range steps {
		header, refused := h.charge(t, caller, step.n)
		if step.status == 0 && refused != nil {
			t.Fatalf("%s: refused with %d: %v", step.name, refused.Status, refused.Error)
		}
		want := step.want.Clone()
		if step.status != 0 {
			want.Set("Retry-After", "30")
			tooMany(t, step.name, refused)
		}
		if diff := cmp.Diff(want, header); diff != "" {
			t.Errorf("%s: headers (-want +got):\n%s", step.name, diff)
		}
	}
	heard := h.heard()
	if len(heard) != 1 || heard[0].Key != id || heard[0].Code != host.CodeQuotaExceeded || heard[0].Addr.String() != "127.0.0.1" {
		t.Errorf("recorded %+v, want one for the refusals of %s from 127.0.0.1 in that second", heard, id)
	}
	// The documented data have three members; clients that negotiated a revision are
	// told in words as well.
	_, refused := h.charge(t, caller, 10)
	if data := string(refused.Error.Data); strings.Contains(data, "details") {
		t.Errorf("data of the baseline %s, want limit, used and reset_at alone", data)
	}
	refused = h.Charge(t.Context(), http.Header{}, &caller, host.RevisionNamed("2025-11-25"), streamable.Bill{Calls: 10})
	if data := string(refused.Error.Data); !strings.Contains(data, `"details":"10 of 10 requests of this minute are used; the next begins at 2026-02-27T12:01:00Z"`) {
		t.Errorf("data of 2025-11-25 %s, want the limit in words", data)
	}
	h.now = nextMinute
	if _, refused := h.charge(t, caller, 10); refused != nil {
		t.Errorf("refused in the next minute: %v", refused.Error)
	}
}

// tooMany checks a refusal that the minute of the plan Free gave.
func tooMany(t *testing.T, name string, refused *streamable.Refusal) {
	t.Helper()
	if refused == nil || refused.Status != http.StatusTooManyRequests {
		t.Fatalf("%s: got %+v, want 429", name, refused)
	}
	if refused.Error.Code != -32002 || refused.Error.Message != "Quota exceeded" {
		t.Errorf("%s: got %d %q, want -32002 %q", name, refused.Error.Code, refused.Error.Message, "Quota exceeded")
	}
	var data struct {
		Limit   int64  `json:"limit"`
		Used    int64  `json:"used"`
		ResetAt string `json:"reset_at"`
	}
	if err := json.Unmarshal(refused.Error.Data, &data); err != nil {
		t.Fatal(err)
	}
	if data.Limit != 10 || data.Used < 5 || data.ResetAt != "2026-02-27T12:01:00Z" {
		t.Errorf("%s: data %s, want limit 10, at least 5 used, reset_at 2026-02-27T12:01:00Z", name, refused.Error.Data)
	}
}

// Retry-After is the time to the end of the window in whole seconds, and never 0.
func TestRetryAfter(t *testing.T) {
	tests := []struct {
		name   string
		now    time.Time
		limits quota.Limits
		want   string
	}{
		{"the minute", noon, quota.Limits{Minute: 1}, "30"},
		{"the month", noon, quota.Limits{Month: 1}, "129570"}, // 1 day, 11 hours, 59 minutes, 30 seconds
		{"both: the month is the longer wait", noon, quota.Limits{Month: 1, Minute: 1}, "129570"},
		{"part of a second", nextMinute.Add(-time.Millisecond), quota.Limits{Minute: 1}, "1"},
		{"one and a half", nextMinute.Add(-1500 * time.Millisecond), quota.Limits{Minute: 1}, "2"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			h := build(t)
			h.now = tc.now
			_, token := h.key(t, keys.Settings{Plan: quota.Enterprise, Own: tc.limits})
			caller := h.admit(t, token)
			if _, refused := h.charge(t, caller, 1); refused != nil {
				t.Fatal(refused.Error)
			}
			header, refused := h.charge(t, caller, 1)
			if refused == nil {
				t.Fatal("granted twice")
			}
			if got := header.Get("Retry-After"); got != tc.want {
				t.Errorf("Retry-After: %s, want %s", got, tc.want)
			}
		})
	}
}

// The revision that forbids -32002 gets another code, and the documented one
// in the data.
func TestChargeModern(t *testing.T) {
	h := build(t)
	_, token := h.key(t, keys.Settings{Plan: quota.Free})
	caller := h.admit(t, token)
	refused := h.Charge(t.Context(), http.Header{}, &caller, host.RevisionNamed("2026-07-28"), streamable.Bill{Calls: 11})
	if refused == nil || refused.Error.Code != -31002 || !strings.Contains(string(refused.Error.Data), `"code":-32002`) {
		t.Errorf("got %+v, want -31002 with data.code -32002", refused)
	}
}

// A key without limits is not counted and has nothing to show.
func TestChargeWithoutLimits(t *testing.T) {
	h := build(t, func(c *bearer.Config) { c.Meter = brokenMeter{errors.New("asked")} })
	_, token := h.key(t, keys.Settings{Plan: quota.Enterprise})
	header, refused := h.charge(t, h.admit(t, token), 1_000_000)
	if refused != nil || len(header) > 0 {
		t.Errorf("got %+v and headers %v, want nothing", refused, header)
	}
}

func TestCountersOutOfReach(t *testing.T) {
	h := build(t, func(c *bearer.Config) { c.Meter = brokenMeter{quota.ErrUnavailable} })
	_, token := h.key(t, keys.Settings{})
	caller := h.admit(t, token)
	for _, n := range []int{0, 1, 2} {
		header, refused := h.charge(t, caller, n)
		if refused == nil || refused.Status != http.StatusServiceUnavailable || refused.Error.Code != jsonrpc.CodeInternalError {
			t.Fatalf("%d requests: got %+v, want 503 with -32603", n, refused)
		}
		if diff := cmp.Diff(http.Header{"Retry-After": {"1"}}, header); diff != "" {
			t.Errorf("%d requests: headers (-want +got):\n%s", n, diff)
		}
	}
}

// Of batches and single requests side by side exactly the limit is granted,
// and a batch is granted whole or not at all.
func TestChargeAtOnce(t *testing.T) {
	h := build(t)
	const limit, size, rounds = 1000, 7, 30
	_, token := h.key(t, keys.Settings{Plan: quota.Enterprise, Own: quota.Limits{Minute: limit}})
	caller := h.admit(t, token)
	var granted atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range rounds {
				if _, refused := h.charge(t, caller, size); refused == nil {
					granted.Add(size)
				}
			}
		})
	}
	wg.Wait()
	// 16 clients ask for 3360; 142 batches of 7 are 994, and one more is not
	// to be had.
	if got, want := granted.Load(), int64(limit/size*size); got != want {
		t.Errorf("granted %d, want %d", got, want)
	}
	header, refused := h.charge(t, caller, limit%size)
	if refused != nil {
		t.Errorf("what batches left is lost: %v", refused.Error)
	}
	if got := header.Get("X-RateLimit-Remaining"); got != "0" {
		t.Errorf("remaining %s, want 0", got)
	}
}
