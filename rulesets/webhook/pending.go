package webhook

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// pending collects the changes that were not looked at yet.
type pending struct {
	wake chan struct{} // has one element while there are some

	mu    sync.Mutex
	names map[ruleset.Name]bool
	all   bool // anything may have changed
}

// maxPending is the number of names above which all rulesets are looked at.
const maxPending = 1000

// add adds a change; one without a name means that anything may have changed.
func (p *pending) add(c ruleset.Change) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case c.Name == "" || len(p.names) >= maxPending:
		p.all = true
	case p.names == nil:
		p.names = map[ruleset.Name]bool{c.Name: true}
	default:
		p.names[c.Name] = true
	}
	select {
	case p.wake <- struct{}{}:
	default: // it is awake
	}
}

// cut returns the changes and forgets them.
func (p *pending) cut() (names []ruleset.Name, all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	names, all = slices.Sorted(maps.Keys(p.names)), p.all
	p.names, p.all = nil, false
	return names, all
}

// wait waits for a time, or until ctx is done.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
