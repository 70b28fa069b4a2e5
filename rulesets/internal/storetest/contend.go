package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Roles of a test binary that is started as a process of a test, see [RunChild]. The
// variable is set to the store.
const (
	applying   = "STORETEST_APPLY"
	contending = "STORETEST_CONTEND"
)

// RunChild runs the part of a process that a test of this package has started, and
// reports whether this process is one. Call it in TestMain.
func RunChild(open func(where string) (ruleset.Store, error)) (isChild bool, err error) {
	for variable, run := range map[string]func(ruleset.Store) error{applying: applyForever, contending: contend} {
		where := os.Getenv(variable)
		if where == "" {
			continue
		}
		s, err := open(where)
		if err != nil {
			return true, err
		}
		return true, errors.Join(run(s), s.Close())
	}
	return false, nil
}

// child returns a process that is this test binary in a role.
func child(t *testing.T, role, where string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), role+"="+where)
	cmd.Stderr = os.Stderr
	return cmd
}

// contenderWins counts the successes of each process of [Contend].
const contenderWins = 3

// Contend has many processes change one ruleset of a store, each from the revision that
// it has read: each revision is made once, and no change is lost.
func Contend(t *testing.T, where string, s ruleset.Store) {
	t.Helper()
	contenders := sample.Count(16, 64)
	create(t, s, ruleset.Draft{Name: "n0"})
	var mu sync.Mutex
	made := map[string]int{}
	var wg sync.WaitGroup
	for range contenders {
		wg.Go(func() {
			out, err := child(t, contending, where).Output()
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for rev := range strings.FieldsSeq(string(out)) {
				made[rev]++
			}
		})
	}
	wg.Wait()
	last := 1 + contenders*contenderWins
	for rev := 2; rev <= last; rev++ {
		if n := made[fmt.Sprint(rev)]; n != 1 {
			t.Errorf("revision %d was made %d times", rev, n)
		}
	}
	r := get(t, s, "n0")
	if lines := strings.Count(r.Markdown, "line\n"); lines != last-1 || r.Rev != last || len(revisions(t, s, "n0")) != last {
		t.Errorf("%d of %d lines are left at revision %d of %d", lines, last-1, r.Rev, last)
	}
}

// contend adds lines to a ruleset, and prints the revisions that it made.
func contend(s ruleset.Store) error {
	for range contenderWins {
		r, err := win(context.Background(), s, "n0", func(base ruleset.Ruleset) (ruleset.Ruleset, error) {
			text := base.Markdown + "line\n"
			return ruleset.Update(context.Background(), s, "n0", ruleset.Patch{Markdown: &text, IfRev: base.Rev})
		})
		if err != nil {
			return err
		}
		fmt.Println(r.Rev)
	}
	return nil
}

// win reads a ruleset and changes it, again as long as others were faster or keep the
// store busy for too long, as clients do.
func win(ctx context.Context, s ruleset.Store, name ruleset.Name, change func(base ruleset.Ruleset) (ruleset.Ruleset, error)) (ruleset.Ruleset, error) {
	for {
		base, err := s.Get(ctx, name)
		if _, busy := errors.AsType[*ruleset.UnavailableError](err); busy {
			continue
		}
		if err != nil {
			return base, err
		}
		r, err := change(base)
		_, conflict := errors.AsType[*ruleset.ConflictError](err)
		if !conflict && !errors.Is(err, context.DeadlineExceeded) {
			return r, err
		}
	}
}

// writers has goroutines change a ruleset from what they have read, each several times
// through a handle of its own. change gets a text that no other call gets.
func writers(t *testing.T, n, steps int, again func() ruleset.Store, name ruleset.Name, change func(s ruleset.Store, base ruleset.Ruleset, text string) (ruleset.Ruleset, error)) {
	t.Helper()
	var wg sync.WaitGroup
	for w := range n {
		s := again()
		wg.Go(func() {
			for step := range steps {
				_, err := win(t.Context(), s, name, func(base ruleset.Ruleset) (ruleset.Ruleset, error) {
					return change(s, base, base.Markdown+fmt.Sprintf("%d.%d\n", w, step))
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}
