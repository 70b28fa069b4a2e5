package history

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/worktime"
)

// A Request is the request that a history works for. It can be canceled, and the caller is told how
// far its parts, the phases, have come. It belongs to the goroutine of the history.
type Request struct {
	ctx  context.Context //nolint:containedctx // during a call; or nil
	part *worktime.Phase // or nil
}

// Within makes everything that the history does end with ctx, until the result is called.
// Moves that it ends leave the view somewhere on their way.
func (r *Request) Within(ctx context.Context) (done func()) {
	before := r.ctx
	r.ctx = ctx
	return func() { r.ctx = before }
}

// context returns the context of the request.
func (r *Request) context() context.Context {
	if r.ctx == nil {
		return context.Background()
	}
	return r.ctx
}

// canceled returns why the request is over, now and then.
func (r *Request) canceled(steps uint64) error {
	if steps%checkEvery != 0 {
		return nil
	}
	return r.context().Err()
}

// phase begins a part of the work that passes so many positions, and returns what ends it.
func (r *Request) phase(positions uint64) (end func()) {
	before := r.part
	r.part = worktime.Of(r.context()).Phase(positions)
	return func() {
		r.part.Close()
		r.part = before
	}
}

// passed notes how many positions of the phase have been passed.
func (r *Request) passed(positions uint64) { r.part.At(positions) }

// looked notes that a search has looked at the positions between two, and goes on at the
// second one. They are equal before its first step, so the direction is told.
func (r *Request) looked(from, to uint64, back bool) {
	worktime.Of(r.context()).Looked(min(from, to), max(from, to), back)
}
