package recorder

import (
	"context"
	"sync"
)

// commitSpan is the name of the spans of waits for the audit trail.
const commitSpan = "audit commit"

// maxWaits limits the spans of waits that have not ended.
const maxWaits = 1000

// waits are the spans of the requests whose answers wait until the trail is written. The zero
// value has none.
type waits struct {
	mu   sync.Mutex
	ends []func(error)
}

// add adds the function that ends a span.
func (w *waits) add(end func(error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.ends) < maxWaits {
		w.ends = append(w.ends, end)
	}
}

// take returns the functions that were added, each once.
func (w *waits) take() []func(error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.ends
	w.ends = nil
	return all
}

// startWait begins the span of the wait for a record that was appended. The next
// [Recorder.Commit] that starts commits the record and ends the span: answers to several
// requests may wait together.
func (r *Recorder) startWait(ctx context.Context) {
	if r.trail == nil || r.telemetry == nil {
		return
	}
	_, end := r.telemetry.StartPart(ctx, commitSpan)
	r.waits.add(end)
}
