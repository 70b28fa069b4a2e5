package budget_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
)

// TestLimits: an owner has a limit, all together have twice that, and of this the last eighth
// is for owners that have no more than a sixteenth of theirs.
func TestLimits(t *testing.T) {
	b := budget.New(160 << 20)
	anna, eve, otto, ida := b.Open("anna"), b.Open("eve"), b.Open("otto"), b.Open("ida")
	for _, step := range []struct {
		account *budget.Account
		mib     int64
		want    string
	}{
		{anna, 160, ""},
		{anna, 1, "160 of the 160 MiB that they may have; close other sessions, or start the program with --debug-memory 161"},
		{anna.Another(), 1, "160 of the 160 MiB"},
		{eve, 121, "the files of all clients have 160 of the 320 MiB"}, // 160 + 121 > 320 - 40
		{eve, 120, ""},
		{otto, 11, "all clients have 280 of"},
		{otto, 10, ""}, // of the reserve
		{ida, 10, ""},
		{otto, 1, "all clients have 300 of"},
		{anna, -160, ""},
		{otto, 100, ""},
	} {
		if step.mib < 0 {
			step.account.Give(-step.mib << 20)
			continue
		}
		err := step.account.Take(step.mib << 20)
		if (err == nil) != (step.want == "") || err != nil && !strings.Contains(err.Error(), step.want) {
			t.Errorf("%d MiB: %v, want %q", step.mib, err, step.want)
		}
		if e := (*budget.Error)(nil); err != nil && (!errors.As(err, &e) || e.Needed != step.mib<<20) {
			t.Errorf("%d MiB: %#v", step.mib, err)
		}
	}
	if own, all := b.Taken("otto"); own != 110<<20 || all != 240<<20 {
		t.Errorf("%d bytes of one, %d of all are taken", own, all)
	}
}

// TestHuge takes more than any number of bytes that there are.
func TestHuge(t *testing.T) {
	a := budget.New(1 << 20).Open("anna")
	for _, n := range []int64{1<<20 + 1, 1 << 62, 1<<63 - 1} {
		if err := a.Take(n); err == nil {
			t.Errorf("%d bytes were taken", n)
		}
	}
}

// TestClose gives everything back once, whatever is given before and taken after.
func TestClose(t *testing.T) {
	b := budget.New(1000)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			a := b.Open("anna")
			for range 100 {
				_ = a.Take(10) // may be refused
				a.Give(3)
			}
			a.Close()
			a.Give(5)
			a.Close()
			if a.Take(1) == nil {
				t.Error("an account that was closed has taken something")
			}
		})
	}
	all.Wait()
	if own, all := b.Taken("anna"); own != 0 || all != 0 {
		t.Errorf("%d bytes are left, %d of all", own, all)
	}
	var none *budget.Account
	if err := none.Another().Take(1 << 60); err != nil || none.Taken() != 0 {
		t.Errorf("without a limit: %v", err)
	}
	none.Give(1)
	none.Close()
}
