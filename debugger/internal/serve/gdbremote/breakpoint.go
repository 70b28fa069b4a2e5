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

// breakpoints answers the packets that set and clear the client's breakpoints.
type breakpoints struct {
	client *client

	set         map[string]*stepping.Breakpoint // by the arguments of their packets
	callReturns map[*stepping.Breakpoint]bool   // at the return of functions that gdb calls
	caught      *stepping.Breakpoint            // at the system calls that the client catches
}

// insert handles Z at any position: clients set breakpoints before each command
// that resumes. For a mirror it reports success without setting the breakpoint:
// clients need breakpoints of their own to follow libraries, and do not resume
// without them.
func (bs *breakpoints) insert(ctx context.Context, args string) ([]byte, error) {
	kind, addr, size, err := parseBreakpoint(args)
	if err != nil {
		return nil, err
	}
	_, watch := watchKinds[kind]
	if !watch && kind != software && kind != hardware {
		return []byte{}, nil
	}
	return bs.client.locked(ctx, func() ([]byte, error) {
		if err := bs.client.s.Target.RequireExecution(); err != nil {
			return nil, err
		}
		key := breakpointKey(args)
		if bs.client.Role == session.Mirror || bs.set[key] != nil {
			return []byte("OK"), nil
		}
		set := bs.setBreakpoint
		if watch {
			set = bs.setWatchpoint
		}
		b, err := set(kind, addr, size)
		if err != nil {
			return nil, err
		}
		bs.set[key] = b
		return []byte("OK"), nil
	})
}

// remove handles z.
func (bs *breakpoints) remove(ctx context.Context, args string) ([]byte, error) {
	if _, _, _, err := parseBreakpoint(args); err != nil {
		return nil, err
	}
	return bs.client.locked(ctx, func() ([]byte, error) {
		b := bs.set[breakpointKey(args)]
		if b == nil {
			return []byte("OK"), nil
		}
		delete(bs.set, breakpointKey(args))
		if err := proc.UnlessEnded(bs.clear(b)); err != nil {
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

func (bs *breakpoints) setBreakpoint(_ byte, addr, _ uint64) (*stepping.Breakpoint, error) {
	b := &stepping.Breakpoint{Places: []symbols.Location{{Addr: addr}}}
	if bs.isReturnOfCall(addr) {
		bs.callReturns[b] = true
		if err := bs.client.s.Target.Process.SetSignal(syscall.SIGSEGV, proc.StopAndDrop); err != nil {
			return nil, err
		}
		return b, bs.client.s.Breakpoints.Add(b)
	}
	if bs.canBeMappedLater() {
		return b, bs.client.s.Breakpoints.Add(b)
	}
	if err := bs.client.s.Breakpoints.Set(b, proc.BreakpointSpec{Address: addr}); err != nil {
		return nil, err
	}
	return b, bs.client.s.Breakpoints.Add(b)
}

// canBeMappedLater reports whether a trace is shown at a position before its end, where
// libraries in which a client has breakpoints may not be loaded yet. Clients do not resume
// if they cannot set one of their breakpoints.
func (bs *breakpoints) canBeMappedLater() bool {
	h := bs.client.s.Target.History
	return bs.client.s.Target.Process == nil && h != nil && h.View().Position() < h.End()
}

// isReturnOfCall reports whether a breakpoint is at the return address of a
// function that gdb calls in the process. gdb chooses an address on the stack,
// which is not executable: the return faults, gdb treats the fault as the
// breakpoint, and the signal must not be delivered.
func (bs *breakpoints) isReturnOfCall(addr uint64) bool {
	maps, err := bs.client.s.Target.View.Maps()
	m, mapped := maps.Find(addr)
	return err == nil && mapped && m.Write && !m.Execute && bs.client.s.Target.Process != nil && !bs.client.s.Timeline.InPast()
}

// clear clears a breakpoint.
func (bs *breakpoints) clear(b *stepping.Breakpoint) error {
	err := bs.client.s.Breakpoints.Clear(b)
	if bs.callReturns[b] {
		delete(bs.callReturns, b)
		if len(bs.callReturns) == 0 {
			err = errors.Join(err, bs.client.s.Target.Process.SetSignal(syscall.SIGSEGV, proc.StopAndPass))
		}
	}
	return err
}

// setWatchpoint watches memory.
func (bs *breakpoints) setWatchpoint(kind byte, addr, size uint64) (*stepping.Breakpoint, error) {
	w := stepping.Watch{Address: addr, Size: int(min(size, math.MaxInt32)), Access: watchKinds[kind].access}
	return bs.client.s.Breakpoints.SetWatch(context.Background(), w, "", "")
}

// clearAll clears the breakpoints of a client that disconnected. It waits
// until the session is idle; a session that has ended has no breakpoints.
func (bs *breakpoints) clearAll() {
	if len(bs.set) == 0 && bs.caught == nil {
		return
	}
	_, leave, err := bs.client.s.AcquireIdle(context.Background())
	if err != nil {
		return
	}
	defer leave()
	for _, b := range bs.set {
		if err := proc.UnlessEnded(bs.clear(b)); err != nil && bs.client.Log != nil {
			bs.client.Log.Warn("a breakpoint could not be cleared", "session", bs.client.s.ID, "err", err)
		}
	}
	if bs.caught != nil {
		_ = bs.client.s.Breakpoints.Clear(bs.caught) // it is gone if the process is
	}
}
