package history

import "github.com/triptych-mcp/triptych/debugger/internal/machine/x86"

// Rseq is the memory that the recorder knows the kernel to write by itself.
func (r *Recorder) Rseq() []x86.Span { return r.memory.Rseq }

// Interpreted returns how many pages the interpreter has loaded.
func Interpreted(r *Recorder) int { return len(r.interpreter.pages) }
