//go:build !linux || !amd64

package recording

import (
	"context"
	"io"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// Record returns ptrace.ErrPlatform.
func Record(context.Context, Program, io.Writer) (Result, error) { return Result{}, ptrace.ErrPlatform }

// Attach returns ptrace.ErrPlatform.
func Attach(context.Context, int, io.Writer) (Result, error) { return Result{}, ptrace.ErrPlatform }

// A Past cannot be made on this system.
type Past struct{ history.Line }

// NewPast returns a Past that cannot record.
func NewPast(Place) *Past { return new(Past) }

// Record returns ptrace.ErrPlatform.
func (*Past) Record(context.Context, *proc.Process, *history.Recorder, Stretch) (StretchEnd, error) {
	return StretchEnd{}, ptrace.ErrPlatform
}
