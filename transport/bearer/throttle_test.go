package bearer_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// guessed returns an authenticator without keys, on the clock of the bubble.
func guessed() *bearer.Authenticator {
	return bearer.New(bearer.Config{Ring: brokenRing{keys.ErrUnknown}, Meter: brokenMeter{errors.New("not asked")}})
}

// guess authenticates with an unknown key, and returns the duration of the answer.
func guess(d *bearer.Authenticator, from string) (time.Duration, http.Header, *streamable.Refusal) {
	header := http.Header{}
	began := time.Now()
	_, refused := d.Authenticate(header, visit(from, "Bearer "+keys.NewToken(keys.Live).Reveal()))
	return time.Since(began), header, refused
}

// Five failures are answered at once, further ones twice as late each time, up
// to three seconds.
func TestGuessingGetsSlower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := guessed()
		want := []int{0, 0, 0, 0, 0, 100, 200, 400, 800, 1600, 3000, 3000, 3000}
		for i, ms := range want {
			took, _, refused := guess(d, local)
			if took.Milliseconds() != int64(ms) {
				t.Errorf("guess %d took %v, want %d ms", i+1, took, ms)
			}
			if refused == nil || refused.Status != http.StatusUnauthorized {
				t.Fatalf("guess %d: %+v, want 401", i+1, refused)
			}
		}
		if took, _, _ := guess(d, "127.0.0.2:1"); took != 0 {
			t.Errorf("another address waited %v", took)
		}
		time.Sleep(10 * time.Minute)
		if took, _, _ := guess(d, local); took != 0 {
			t.Errorf("after ten minutes it still took %v", took)
		}
	})
}

// In IPv6 everybody has a network of 64 bits to guess from.
func TestGuessingFromANetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := guessed()
		for i := range 6 {
			took, _, _ := guess(d, fmt.Sprintf("[2001:db8::%x]:1", i+1))
			if want := time.Duration(i/5) * 100 * time.Millisecond; took != want {
				t.Errorf("guess %d took %v, want %v", i+1, took, want)
			}
		}
		if took, _, _ := guess(d, "[2001:db8:0:1::1]:1"); took != 0 {
			t.Errorf("the next network waited %v", took)
		}
	})
}

// A good key is let in at once, however many bad ones came from its address:
// one careless client behind a router must not lock out the others.
func TestGuessingHoldsNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		good := keys.NewToken(keys.Live)
		d := bearer.New(bearer.Config{Ring: findFunc(func(_ context.Context, token keys.Token) (keys.Record, error) {
			if token != good {
				return keys.Record{}, keys.ErrUnknown
			}
			return keys.Record{ID: "key_0123456789"}, nil
		})})
		for range 12 {
			guess(d, local)
		}
		began := time.Now()
		if _, refused := d.Authenticate(http.Header{}, visit(local, "Bearer "+good.Reveal())); refused != nil {
			t.Errorf("refused with %d", refused.Status)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("it took %v", took)
		}
	})
}

// Eight answers of an address may wait; further failures are turned away
// without being recorded.
func TestGuessingAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := guessed()
		for range 12 {
			guess(d, local)
		}
		var mu sync.Mutex
		statuses := map[int]int{}
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				took, header, refused := guess(d, local)
				mu.Lock()
				defer mu.Unlock()
				statuses[refused.Status]++
				if refused.Status != http.StatusTooManyRequests {
					return
				}
				if took != 0 || header.Get("Retry-After") != "10" {
					t.Errorf("turned away after %v with Retry-After %q, want at once with 10", took, header.Get("Retry-After"))
				}
				if data := string(refused.Error.Data); refused.Error.Code != -32002 || !strings.Contains(data, `"limit":8,"used":8,"reset_at":"`) {
					t.Errorf("turned away with %d %s, want the code and the data of a rate that is exceeded", refused.Error.Code, data)
				}
			})
		}
		wg.Wait()
		if statuses[401] != 8 || statuses[429] != 12 {
			t.Errorf("statuses %v, want eight times 401 and twelve times 429", statuses)
		}
		if _, _, refused := guess(d, local); refused.Status != http.StatusUnauthorized {
			t.Errorf("status %d when nobody waits any more, want 401", refused.Status)
		}
	})
}

// A client that hangs up frees its place at once.
func TestGuessingAndHangingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := guessed()
		for range 12 {
			guess(d, local)
		}
		ctx, hangUp := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { d.Authenticate(http.Header{}, visit(local, "Bearer wrong").WithContext(ctx)) })
		}
		synctest.Wait()
		began := time.Now()
		hangUp()
		wg.Wait()
		if took := time.Since(began); took != 0 {
			t.Errorf("it took %v to notice", took)
		}
		if _, _, refused := guess(d, local); refused.Status != http.StatusUnauthorized {
			t.Errorf("status %d, want 401: the places are free", refused.Status)
		}
	})
}

// Only guesses count: a client with a key that expired or comes from elsewhere
// is answered at once every time.
func TestKnownKeysAreNoGuesses(t *testing.T) {
	h := build(t)
	id, token := h.key(t, keys.Settings{})
	if _, err := h.keys.Revoke(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for range 100 {
		if _, refused := h.Authenticate(http.Header{}, visit(local, "Bearer "+token)); refused == nil || !strings.Contains(details(t, refused), "revoked") {
			t.Fatalf("got %+v, want that it is revoked", refused)
		}
	}
	if took := time.Since(began); took > 20*time.Second { // as guesses they would take 95 s
		t.Errorf("a hundred answers took %v", took)
	}
}
