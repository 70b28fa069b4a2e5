package attack_test

import (
	"context"
	"sync"
	"testing"
	"time"
)

// guessing tries many keys from one address: answers come later and later, and
// those who have a key do not wait, not even at that address.
func guessing(t *testing.T, s *server, token string) {
	const guessers = 24
	ctx, stop := context.WithTimeout(t.Context(), 4*time.Second)
	defer stop()
	var mu sync.Mutex
	statuses := map[int]int{}
	var wg sync.WaitGroup
	for range guessers {
		wrong := s.client(t, "kdb_live_000000000000000000000000000000000000", "127.0.4.1", true)
		wg.Go(func() {
			for ctx.Err() == nil {
				r, err := wrong.try(ctx, "POST", list)
				if err != nil {
					return // the time is over
				}
				mu.Lock()
				statuses[r.status]++
				mu.Unlock()
				if r.status == 429 {
					if r.code() != -32002 || r.header.Get("Retry-After") == "" {
						t.Errorf("turned away with %s, want -32002 and when to come again", r.text)
					}
					time.Sleep(100 * time.Millisecond) // or it would be a test of speed
				}
			}
		})
	}
	honest := s.client(t, token, "127.0.4.1", true)
	held := 0
	for range 20 {
		began := time.Now()
		honest.post(t, list).is(t, "beside those who guess", 200, 0)
		if took := time.Since(began); took > 2500*time.Millisecond { // a guesser waits for three seconds
			held++
		}
	}
	if held > 5 { // some may be the machine's
		t.Errorf("beside those who guess, %d of 20 answers took more than 2.5 s", held)
	}
	wg.Wait()
	// Five at once, ever later ones until eight wait, for three seconds each.
	if n := statuses[401]; n < 5 || n > 40 {
		t.Errorf("%d guesses were answered in 4s, want few", n)
	}
	if statuses[429] == 0 || len(statuses) != 2 {
		t.Errorf("statuses %v, want 401 and 429", statuses)
	}
}

// manySessions begins more sessions than a key may have. The rest goes without:
// no client is refused for it.
func manySessions(t *testing.T, s *server, _ string) {
	id, own := key(t, s.data)
	c := s.client(t, own, "", true)
	hello := line("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"siege","version":"1"}}`)
	begun := []string{}
	for range 1100 {
		r := c.post(t, hello)
		r.is(t, "initialize", 200, 0)
		if session := r.header.Get("Mcp-Session-Id"); session != "" {
			begun = append(begun, session)
		}
	}
	if len(begun) != 1000 {
		t.Errorf("%d sessions were begun, want 1000", len(begun))
	}
	for _, session := range begun {
		c.send(t, "DELETE", "", "Mcp-Session-Id", session).is(t, "DELETE", 204, 0)
	}
	run(t, s.data, "key", "revoke", id)
}
