package gdbremote

import (
	"context"
	"encoding/hex"
	"fmt"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// signalNumbers lists signals whose number in gdb (include/gdb/signals.def)
// differs from that in Linux.
var signalNumbers = map[syscall.Signal]int{
	7: 10, 10: 30, 12: 31, 16: unknownSignal, 17: 20, 18: 19, 19: 17, 20: 18, 23: 16, 29: 23, 30: 32, 31: 12,
}

// Signal numbers of gdb.
const (
	unknownSignal   = 143
	firstRealTime   = 45 // of signal 33
	gdbRealTime32   = 77
	gdbRealTime64   = 78
	lastStandard    = 31
	signalTrap      = 5
	signalInterrupt = 2
	noSignal        = 0
)

// signalNumber returns gdb's number of a signal.
func signalNumber(sig syscall.Signal) int {
	switch n := int(sig); {
	case signalNumbers[sig] != 0:
		return signalNumbers[sig]
	case n <= lastStandard:
		return n
	case n == 32:
		return gdbRealTime32
	case n == 64:
		return gdbRealTime64
	default:
		return n - 33 + firstRealTime
	}
}

// stopSignals maps stops that no signal caused to the signal that reports them.
var stopSignals = map[proc.Why]int{
	proc.Paused: signalInterrupt, stepping.AtLimit: noSignal, stepping.AtExit: noSignal, stepping.AtMoment: signalTrap,
}

// haltReason handles ?, which asks why the process is stopped.
func (v *server) haltReason(ctx context.Context, _ string) ([]byte, error) {
	leave, err := v.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return v.current(signalTrap)
}

// current returns the stop reply for the current position and records that the
// client was shown it. A pause is reported as the signal paused.
func (v *server) current(paused int) ([]byte, error) {
	stop, stops, _ := v.s.LastStop()
	v.shownStop = stops
	if reply, ok, err := v.aloneReply(stop); ok || err != nil {
		return reply, err
	}
	if stop.Why == proc.Paused && stop.Signal == 0 {
		return v.stopReply(stop, paused)
	}
	signal, special := stopSignals[stop.Why]
	switch {
	case stop.Signal != 0:
		signal = signalNumber(stop.Signal)
	case !special:
		signal = signalTrap
	}
	return v.stopReply(stop, signal)
}

// stopReply formats a stop (section E.3).
func (v *server) stopReply(stop proc.Stop, signal int) ([]byte, error) {
	switch stop.Why {
	case proc.Exited:
		return fmt.Appendf(nil, "W%02x%s", byte(stop.Status), v.endedProcess()), nil
	case proc.Killed:
		return fmt.Appendf(nil, "X%02x%s", signalNumber(stop.Signal), v.endedProcess()), nil
	}
	thread, err := v.s.Target.View.CurrentThread()
	if err != nil {
		return nil, err
	}
	regs, err := v.s.Target.View.Regs(thread)
	if err != nil {
		return nil, err
	}
	return v.threadReply(signal, v.reason(stop), thread, regs), nil
}

// threadReply formats a stop of a thread, for a reason that may be "".
func (v *server) threadReply(signal int, reason string, thread int, regs ptrace.Regs) []byte {
	b := fmt.Appendf(nil, "T%02x%sthread:%s;", signal, reason, v.threadID(thread))
	state := &states{regs: regs}
	for _, number := range []int{numberRBP, numberRSP, numberRIP} {
		r := features()[0].registers[number]
		b = fmt.Appendf(b, "%02x:%s;", number, hexRegister(state, r))
	}
	return b
}

func (v *server) endedProcess() string {
	if v.client.multiprocess {
		return fmt.Sprintf(";process:%x", v.s.Target.ProcessID())
	}
	return ""
}

// reason returns the part of a stop reply that gives the reason.
func (v *server) reason(stop proc.Stop) string {
	switch stop.Why {
	case stepping.AtBeginning:
		return "replaylog:begin;"
	case stepping.AtPresent:
		return "replaylog:end;"
	case proc.Executed:
		if v.client.exec {
			return "exec:" + hex.EncodeToString([]byte(v.s.Target.Executable())) + ";"
		}
	case proc.AtSyscall:
		return syscallReason(stop.Syscall)
	case proc.AtBreakpoint:
		return v.breakpointReason(stop.Address)
	case proc.AtWatchpoint, stepping.AtWrite:
		if b := v.s.Breakpoints.ByID[v.s.State().Breakpoint]; b != nil && b.Watch != nil {
			return v.watchReason(b)
		}
	}
	return ""
}

// breakpointReason returns the kind of the client's breakpoint at an address. A
// breakpoint of the session is reported as a trap.
func (v *server) breakpointReason(addr uint64) string {
	for key, b := range v.breakpoints {
		switch {
		case b.Watch != nil || b.Places[0].Addr != addr:
		case key[0] == software && v.client.swbreak:
			return "swbreak:;"
		case key[0] == hardware && v.client.hwbreak:
			return "hwbreak:;"
		}
	}
	return ""
}

// watchReason returns the kind of the client's watchpoint.
func (v *server) watchReason(hit *stepping.Breakpoint) string {
	for key, b := range v.breakpoints {
		if b == hit {
			return fmt.Sprintf("%s:%x;", watchKinds[key[0]].reason, b.Watch.Address)
		}
	}
	return ""
}
