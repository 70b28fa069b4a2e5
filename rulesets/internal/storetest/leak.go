package storetest

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// ours are in the stacks of goroutines that a store has to answer for: its own,
// and those of the libraries that stores use.
var ours = []string{"triptych/rulesets/", "fsnotify/fsnotify", "redis/go-redis"}

// leavesNothing has every goroutine of a store end with its watch and its Close.
func leavesNothing(t *testing.T, other ruleset.Store, _ *Clock, again func() ruleset.Store) {
	if err := other.Close(); err != nil { // what it has begun would be counted
		t.Errorf("Close: %v", err)
	}
	s := again()
	watchHears(t, s, nil, func() ruleset.Store { return s })
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	stacks := running()
	for deadline := time.Now().Add(5 * time.Second); len(stacks) > 0 && time.Now().Before(deadline); stacks = running() {
		time.Sleep(5 * time.Millisecond) // the scheduler, not a clock, decides
	}
	if len(stacks) > 0 {
		t.Errorf("%d goroutines:\n%s", len(stacks), strings.Join(stacks, "\n\n"))
	}
}

// running are the stacks of the goroutines that are a store's, without the one
// that asks and the tests that wait for it.
func running() []string {
	text := make([]byte, 4<<20)
	stacks := strings.Split(string(text[:runtime.Stack(text, true)]), "\n\n")
	return slices.DeleteFunc(stacks[1:], func(stack string) bool {
		return strings.Contains(stack, "\ntesting.(*T).Run(") || !slices.ContainsFunc(ours, func(name string) bool { return strings.Contains(stack, name) })
	})
}
