//go:build !linux || !amd64

package recording

import (
	"context"
	"io"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// Record returns ptrace.ErrPlatform.
func Record(context.Context, Program, io.Writer) (Result, error) { return Result{}, ptrace.ErrPlatform }

// Attach returns ptrace.ErrPlatform.
func Attach(context.Context, int, io.Writer) (Result, error) { return Result{}, ptrace.ErrPlatform }

// A Timeline cannot be had on this system.
type Timeline struct{}

// NewTimeline returns ptrace.ErrPlatform.
func NewTimeline(context.Context, *Recording) (*Timeline, error) { return nil, ptrace.ErrPlatform }

// Close does nothing.
func (t *Timeline) Close() error { return nil }

// History returns nil.
func (t *Timeline) History() *history.History { return nil }
