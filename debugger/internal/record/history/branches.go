package history

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A Wanted reports whether an instruction is wanted when it leads to another one than the next, or
// whenever it is executed. Where a conditional jump of the latter kind leads is only known if it is
// of both.
type Wanted func(in *x86.Inst) (jumps, always bool)

// A BranchFinder is a [Source] that finds branches without the records between them.
type BranchFinder interface {
	Source

	// Branches calls f with the transitions from one position to another that are no
	// executed instruction, and with those of wanted instructions, in order, until it returns
	// false. The first and the last step come, too, with Transition.Ordinary. It returns the position up to which it has come. That is from where transitions
	// can only be found in the records.
	Branches(ctx context.Context, wanted Wanted, from, to uint64, f func(*Transition) bool) (reached uint64, err error)
}

// Branches calls f with the transitions of a stretch that a [BranchFinder] finds, or with all of
// them, in order, until it returns false. A transition may come twice. It returns the position up
// to which it has come. It does not move the view.
func (h *History) Branches(ctx context.Context, wanted Wanted, in Stretch, f func(*Transition) bool) (reached uint64, err error) {
	o := h.overHits(in)
	n := 0
	each := func(t *Transition) bool {
		more := f(t)
		if n++; more && n%enoughEvery != 0 {
			return true
		}
		return o.passes(t.Position+1, more)
	}
	searched, err := o.run(ctx,
		func(at, to uint64) (uint64, error) {
			if finder, ok := h.source.(BranchFinder); ok {
				return finder.Branches(ctx, wanted, at, to, each)
			}
			return at, nil
		},
		func(at, to uint64) (uint64, error) {
			reached := at
			err := h.Transitions(ctx, at, to, func(t *Transition) bool {
				reached = t.Position + 1
				return each(t)
			})
			return reached, err
		})
	return searched.Reached, err
}

// enoughEvery is the number of transitions after which it is asked whether they are enough.
const enoughEvery = 1 << 8
