package gdbremote

import (
	"context"
	"errors"
	"math"
	"strings"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// The kinds of breakpoints in Z packets (section E.2). The engine chooses between
// debug registers and inserted instructions.
const (
	software = '0'
	hardware = '1'
)

// watchKinds lists the kinds of watchpoints with the reason that stop replies
// give. The processor cannot watch reads alone; gdb ignores the writes.
var watchKinds = map[byte]struct {
	access proc.Access
	reason string
}{
	'2': {proc.Write, "watch"},
	'3': {proc.ReadWrite, "rwatch"},
	'4': {proc.ReadWrite, "awatch"},
}

// insert handles Z at any position: clients set breakpoints before each command
// that resumes. For a mirror it reports success without setting the breakpoint:
// clients need breakpoints of their own to follow libraries, and do not resume
// without them.
func (v *server) insert(ctx context.Context, args string) ([]byte, error) {
	kind, addr, size, err := parseBreakpoint(args)
	if err != nil {
		return nil, err
	}
	_, watch := watchKinds[kind]
	if !watch && kind != software && kind != hardware {
		return []byte{}, nil
	}
	return v.locked(ctx, func() ([]byte, error) {
		if err := v.s.Target.RequireExecution(); err != nil {
			return nil, err
		}
		key := breakpointKey(args)
		if v.Role == session.Mirror || v.breakpoints[key] != nil {
			return []byte("OK"), nil
		}
		set := v.setBreakpoint
		if watch {
			set = v.setWatchpoint
		}
		b, err := set(kind, addr, size)
		if err != nil {
			return nil, err
		}
		v.breakpoints[key] = b
		return []byte("OK"), nil
	})
}

// remove handles z.
func (v *server) remove(ctx context.Context, args string) ([]byte, error) {
	if _, _, _, err := parseBreakpoint(args); err != nil {
		return nil, err
	}
	return v.locked(ctx, func() ([]byte, error) {
		b := v.breakpoints[breakpointKey(args)]
		if b == nil {
			return []byte("OK"), nil
		}
		delete(v.breakpoints, breakpointKey(args))
		if err := proc.UnlessEnded(v.clear(b)); err != nil {
			return nil, err
		}
		return []byte("OK"), nil
	})
}

// parseBreakpoint parses KIND,ADDR,SIZE and ignores the rest, such as conditions,
// which the server does not announce.
func parseBreakpoint(args string) (kind byte, addr, size uint64, err error) {
	key := breakpointKey(args)
	if len(key) < 2 || key[1] != ',' {
		return 0, 0, 0, errArgument
	}
	addr, size, err = parsePair(key[2:])
	return key[0], addr, size, err
}

// breakpointKey identifies a breakpoint by its kind, address and size.
func breakpointKey(args string) string {
	key, _, _ := strings.Cut(args, ";")
	return key
}

func (v *server) setBreakpoint(_ byte, addr, _ uint64) (*stepping.Breakpoint, error) {
	b := &stepping.Breakpoint{Places: []symbols.Location{{Addr: addr}}}
	if v.isReturnOfCall(addr) {
		v.callReturns[b] = true
		if err := v.s.Target.Process.SetSignal(syscall.SIGSEGV, proc.StopAndDrop); err != nil {
			return nil, err
		}
		return b, v.s.Breakpoints.Add(b)
	}
	if v.canBeMappedLater() {
		return b, v.s.Breakpoints.Add(b)
	}
	if err := v.s.Breakpoints.Set(b, proc.BreakpointSpec{Address: addr}); err != nil {
		return nil, err
	}
	return b, v.s.Breakpoints.Add(b)
}

// canBeMappedLater reports whether a trace is shown at a position before its end, where
// libraries in which a client has breakpoints may not be loaded yet. Clients do not resume
// if they cannot set one of their breakpoints.
func (v *server) canBeMappedLater() bool {
	h := v.s.Target.History
	return v.s.Target.Process == nil && h != nil && h.View().Position() < h.End()
}

// isReturnOfCall reports whether a breakpoint is at the return address of a
// function that gdb calls in the process. gdb chooses an address on the stack,
// which is not executable: the return faults, gdb treats the fault as the
// breakpoint, and the signal must not be delivered.
func (v *server) isReturnOfCall(addr uint64) bool {
	maps, err := v.s.Target.View.Maps()
	m, mapped := maps.Find(addr)
	return err == nil && mapped && m.Write && !m.Execute && v.s.Target.Process != nil && !v.s.Timeline.InPast()
}

// clear clears a breakpoint.
func (v *server) clear(b *stepping.Breakpoint) error {
	err := v.s.Breakpoints.Clear(b)
	if v.callReturns[b] {
		delete(v.callReturns, b)
		if len(v.callReturns) == 0 {
			err = errors.Join(err, v.s.Target.Process.SetSignal(syscall.SIGSEGV, proc.StopAndPass))
		}
	}
	return err
}

// setWatchpoint watches memory.
func (v *server) setWatchpoint(kind byte, addr, size uint64) (*stepping.Breakpoint, error) {
	w := stepping.Watch{Address: addr, Size: int(min(size, math.MaxInt32)), Access: watchKinds[kind].access}
	return v.s.Breakpoints.SetWatch(context.Background(), w, "", "")
}
