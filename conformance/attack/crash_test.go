package attack_test

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestKilledInTheMiddle kills the server again and again while many clients
// call. What was answered is counted and recorded, whatever happens: a key gets
// no more than its plan has, loses no more than what was under way, and the trail
// has a record for each answer.
func TestKilledInTheMiddle(t *testing.T) {
	const month, clients, rounds = 3000, 8, 4
	const block = 1 // of the month is written down at once
	data := t.TempDir()
	id, token := key(t, data, "--plan", "enterprise", "--month", "3000", "--minute", "0")
	answered := 0
	for range rounds {
		s := start(t, data)
		answered += pester(t, s, token, clients, 250*time.Millisecond)
		run(t, data, "audit", "verify")
	}
	if answered == 0 || answered >= month {
		t.Fatalf("%d calls were answered before the kills: it was not the middle", answered)
	}
	before := answered
	s := start(t, data)
	answered += int(spend(t, s, token, clients, month/clients))
	if answered > month || answered < month-rounds*(clients+block) {
		t.Errorf("%d calls were answered, %d of them before the kills; the plan has %d", answered, before, month)
	}
	s.kill()
	if got := recorded(t, data, id); got < answered {
		t.Errorf("%d calls were answered, %d are recorded", answered, got)
	}
}

// pester lets clients call as fast as they can, kills the server meanwhile, and
// says how many calls were answered.
func pester(t *testing.T, s *server, token string, clients int, while time.Duration) int {
	t.Helper()
	var answered atomic.Int64
	var wg sync.WaitGroup
	for range clients {
		c := s.client(t, token, "", true)
		wg.Go(func() {
			for {
				r, err := c.try(context.Background(), "POST", list)
				if err != nil {
					return // it is gone
				}
				if r.status != 200 {
					t.Errorf("got %d %s", r.status, r.text)
				}
				answered.Add(1)
			}
		})
	}
	time.Sleep(while)
	s.kill()
	wg.Wait()
	return int(answered.Load())
}

// recorded returns the number of successful calls of a key in the trail.
func recorded(t *testing.T, data, id string) (n int) {
	t.Helper()
	run(t, data, "audit", "verify")
	var records []struct{ Method, Outcome string }
	if err := json.Unmarshal([]byte(run(t, data, "audit", "show", "--key", id, "--json", "--limit", "0")), &records); err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if r.Method == "tools/list" && r.Outcome == "ok" {
			n++
		}
	}
	return n
}
