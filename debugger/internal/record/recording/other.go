//go:build !linux || !amd64

package recording

import (
	"context"
	"io"
	"os"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// Record returns ptrace.ErrPlatform.
func Record(context.Context, Program, io.Writer) (Result, error) { return Result{}, ptrace.ErrPlatform }

// Attach returns ptrace.ErrPlatform.
func Attach(context.Context, int, io.Writer) (Result, error) { return Result{}, ptrace.ErrPlatform }

// A Timeline cannot be had on this system.
type Timeline struct{}

// NewTimeline returns ptrace.ErrPlatform.
func NewTimeline(context.Context, *recfile.Recording) (*Timeline, error) {
	return nil, ptrace.ErrPlatform
}

// Close does nothing.
func (t *Timeline) Close() error { return nil }

// History returns nil.
func (t *Timeline) History() *history.History { return nil }

// Open returns ptrace.ErrPlatform.
func (t *Timeline) Open(string) (*os.File, error) { return nil, ptrace.ErrPlatform }

// A Past cannot be made on this system.
type Past struct{ history.Line }

// NewPast returns a Past that cannot record.
func NewPast(Place) *Past { return new(Past) }

// Record returns ptrace.ErrPlatform.
func (*Past) Record(context.Context, *proc.Process, *history.Recorder, Stretch) (StretchEnd, error) {
	return StretchEnd{}, ptrace.ErrPlatform
}
