//go:build !linux || !amd64

package replay

import (
	"context"
	"os"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

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
