package inplace

import "github.com/triptych-mcp/triptych/debugger/internal/ptrace"

// ExpectStaleStop does as if the event stop of a cancel had not come yet.
func (r *Runner) ExpectStaleStop() { r.stale = true }

// Other reports an event as the callbacks do.
func (r *Runner) Other(e ptrace.Event) { r.other(e) }
