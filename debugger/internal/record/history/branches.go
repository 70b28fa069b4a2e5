package history

import "context"

// Branches calls f with the transitions of a stretch that the past finds, or with all of
// them, in order, until it returns false. A transition may come twice. It returns the position up
// to which it has come. It does not move the view.
func (st *Steps) Branches(ctx context.Context, wanted Wanted, in Stretch, f func(*Transition) bool) (reached uint64, err error) {
	o := st.overHits(in)
	n := 0
	each := func(t *Transition) bool {
		more := f(t)
		if n++; more && n%enoughEvery != 0 {
			return true
		}
		return o.passes(t.Position+1, more)
	}
	searched, err := o.run(ctx,
		func(at, to uint64) (uint64, error) { return st.past.Branches(ctx, wanted, at, to, each) },
		func(at, to uint64) (uint64, error) {
			reached := at
			err := st.Transitions(ctx, at, to, func(t *Transition) bool {
				reached = t.Position + 1
				return each(t)
			})
			return reached, err
		})
	return searched.Reached, err
}

// enoughEvery is the number of transitions after which it is asked whether they are enough.
const enoughEvery = 1 << 8
