// Package sessiontest has sessions for tests of what serves them to clients.
package sessiontest

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// NewRegistry returns a registry whose sessions end with the test.
func NewRegistry(t testing.TB) *session.Registry {
	t.Helper()
	r := session.NewRegistry(session.Config{Log: slog.New(slog.DiscardHandler), Idle: time.Hour, MaxSessions: 8})
	t.Cleanup(func() {
		if err := r.EndAll("", true); err != nil {
			t.Error(err)
		}
	})
	return r
}

// AddStill adds a session of a core file /tmp/core of process 7, which a signal
// 11 has ended. Its thread 7 has RIP and RSP at 0x1000, where the page is
// mapped that has the byte 0x90 at its beginning; there are no symbols.
func AddStill(t testing.TB, r *session.Registry) *session.Session {
	t.Helper()
	s, err := r.Add("test", target.Target{
		Kind: "core file", File: "/tmp/core", PID: 7, View: still{}, OpenImage: still{}.open, Stop: proc.Stop{Why: proc.Signalled, Signal: 11, Fault: 0x10, Code: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// still is a target of one thread and a few bytes.
type still struct{}

var errNothing = errors.New("nothing is there")

func (still) ReadMemory(addr uint64, b []byte) (int, error) {
	if addr != 0x1000 || len(b) == 0 {
		return 0, target.ErrNoMemory
	}
	return copy(b, "\x90"), nil
}

func (still) Regs(thread int) (ptrace.Regs, error) {
	if thread != 0 && thread != 7 {
		return ptrace.Regs{}, proc.ErrNoThread
	}
	return ptrace.Regs{RIP: 0x1000, RSP: 0x1000}, nil
}
func (still) XState(int, []byte) ([]byte, error) { return nil, errNothing }
func (still) Threads() ([]proc.ThreadInfo, error) {
	return []proc.ThreadInfo{{ID: 7, Name: "<&\">", Current: true}}, nil
}
func (still) CurrentThread() (int, error)                { return 7, nil }
func (still) SetCurrentThread(int) error                 { return proc.ErrNoThread }
func (still) Maps() (procfs.Maps, error)                 { return procfs.Maps{{Start: 0x1000, End: 0x2000}}, nil }
func (still) open(symbols.Mapping) (symbols.File, error) { return nil, errNothing }
