package budget_test

import (
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/triptych-mcp/triptych/transport/internal/budget"
)

// TestLimits takes and gives: the owner's bound comes first, the last eighth of
// the total is for owners that hold no more than a sixteenth of theirs.
func TestLimits(t *testing.T) {
	b := budget.New(budget.Limits{Owner: 160, Total: 400})
	for _, step := range []struct {
		owner string
		n     int64
		want  error
	}{
		{"anna", 160, nil},
		{"anna", 1, budget.ErrOwner},
		{"eve", 160, nil},
		{"otto", 31, budget.ErrTotal}, // 320 + 31 > 400 - 50
		{"otto", 30, nil},
		{"ida", 11, budget.ErrTotal},
		{"ida", 10, nil}, // the reserve
		{"max", 10, nil},
		{"mia", 10, nil},
		{"leo", 10, nil},
		{"tim", 10, nil},
		{"kim", 1, budget.ErrTotal},
		{"eve", -160, nil},
		{"kim", 11, nil},
	} {
		if step.n < 0 {
			b.Give(step.owner, -step.n)
		} else if err := b.Take(step.owner, step.n); !errors.Is(err, step.want) {
			t.Errorf("%s takes %d: %v, want %v", step.owner, step.n, err, step.want)
		}
	}
	want := budget.Usage{Used: 160 + 30 + 5*10 + 11, Limit: 400, Owners: 8, Refused: 4}
	if got := b.Usage(); got != want {
		t.Errorf("usage %+v, want %+v", got, want)
	}
}

// TestHold gives back what was taken, once, whatever ends first.
func TestHold(t *testing.T) {
	b := budget.New(budget.Limits{Owner: 1000, Total: 10_000})
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			h := b.Hold(strconv.Itoa(i % 4))
			for range 100 {
				_ = h.Take(10) // may be refused
				h.Give(3)
			}
			h.Release()
			h.Give(5)
			h.Release()
		})
	}
	all.Wait()
	if got := b.Usage(); got.Used != 0 || got.Owners != 0 {
		t.Errorf("%+v is held by nobody", got)
	}
	var none *budget.Hold
	if err := none.Take(1 << 40); err != nil {
		t.Errorf("without a budget: %v", err)
	}
	none.Give(1)
	none.Release()
}
