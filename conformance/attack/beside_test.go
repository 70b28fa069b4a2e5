package attack_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A bystander is a good client that asks for a ruleset again and again while
// others attack the server, in turn over HTTP/1.1 and HTTP/2.
type bystander struct {
	stop chan struct{}
	done sync.WaitGroup

	mu    sync.Mutex
	times []time.Duration
	wrong []string
}

// How often a bystander asks, within which time 99 of 100 answers should come, and
// the bound that is not passed by chance on a machine that does other things.
const (
	askEvery = 20 * time.Millisecond
	goal     = 250 * time.Millisecond
	bound    = 5 * time.Second
)

func (s *server) bystander(t *testing.T, token string) *bystander {
	t.Helper()
	b := &bystander{stop: make(chan struct{})}
	first, second := s.client(t, token, "", false), s.client(t, token, "", true)
	first.post(t, create("beside")).is(t, "create_ruleset", 200, 0)
	b.done.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-b.stop:
				return
			case <-time.After(askEvery):
			}
			b.ask([]*client{first, second}[n%2])
		}
	})
	t.Cleanup(func() { close(b.stop); b.done.Wait() })
	return b
}

func (b *bystander) ask(c *client) {
	began := time.Now()
	r, err := c.try(context.Background(), http.MethodPost, tool("get_ruleset", `{"name":"beside"}`))
	took := time.Since(began)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.times = append(b.times, took)
	if err != nil {
		b.wrong = append(b.wrong, err.Error())
	} else if r.status != http.StatusOK || !strings.Contains(r.text, "# Trace") {
		b.wrong = append(b.wrong, fmt.Sprintf("%d %.200s", r.status, r.text))
	}
}

// check reports what the bystander saw since the last check.
func (b *bystander) check(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	slices.Sort(b.times)
	slow, late := 0, 0
	for _, took := range b.times {
		if took > goal {
			late++
		}
		if took > bound {
			slow++
		}
	}
	if n := len(b.times); n > 0 {
		t.Logf("beside it: %d answers, p50 %v, p99 %v, %d over %v", n, b.times[n/2], b.times[n*99/100], late, goal)
		if slow > 2+n/50 {
			t.Errorf("beside it, %d of %d answers took more than %v", slow, n, bound)
		}
	}
	if len(b.wrong) > 0 {
		t.Errorf("beside it, %d answers were wrong: %s", len(b.wrong), b.wrong[0])
	}
	b.times, b.wrong = nil, nil
}
