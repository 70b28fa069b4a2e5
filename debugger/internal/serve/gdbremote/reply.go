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

// replies makes the stop replies.
type replies struct {
	client      *client
	breakpoints *breakpoints

	alone  int  // thread that is stepped while the others are not resumed
	untold bool // the last stop reply was for that thread, and not for the current one
}

// haltReason handles ?, which asks why the process is stopped.
func (re *replies) haltReason(ctx context.Context, _ string) ([]byte, error) {
	leave, err := re.client.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return re.current(signalTrap)
}

// current returns the stop reply for the current position and records that the
// client was shown it. A pause is reported as the signal paused.
func (re *replies) current(paused int) ([]byte, error) {
	stop, stops, _ := re.client.s.LastStop()
	re.client.shownStop = stops
	if reply, ok, err := re.aloneReply(stop); ok || err != nil {
		return reply, err
	}
	if stop.Why == proc.Paused && stop.Signal == 0 {
		return re.stopReply(stop, paused)
	}
	signal, special := stopSignals[stop.Why]
	switch {
	case stop.Signal != 0:
		signal = signalNumber(stop.Signal)
	case !special:
		signal = signalTrap
	}
	return re.stopReply(stop, signal)
}

// stopReply formats a stop (section E.3).
func (re *replies) stopReply(stop proc.Stop, signal int) ([]byte, error) {
	switch stop.Why {
	case proc.Exited:
		return fmt.Appendf(nil, "W%02x%s", byte(stop.Status), re.client.endedProcess()), nil
	case proc.Killed:
		return fmt.Appendf(nil, "X%02x%s", signalNumber(stop.Signal), re.client.endedProcess()), nil
	}
	thread, err := re.client.s.Target.View.CurrentThread()
	if err != nil {
		return nil, err
	}
	regs, err := re.client.s.Target.View.Regs(thread)
	if err != nil {
		return nil, err
	}
	return re.threadReply(signal, re.reason(stop), thread, regs), nil
}

// threadReply formats a stop of a thread, for a reason that may be "".
func (re *replies) threadReply(signal int, reason string, thread int, regs ptrace.Regs) []byte {
	b := fmt.Appendf(nil, "T%02x%sthread:%s;", signal, reason, re.client.threadID(thread))
	state := &states{regs: regs}
	for _, number := range []int{numberRBP, numberRSP, numberRIP} {
		r := features()[0].registers[number]
		b = fmt.Appendf(b, "%02x:%s;", number, hexRegister(state, r))
	}
	return b
}

// reason returns the part of a stop reply that gives the reason.
func (re *replies) reason(stop proc.Stop) string {
	switch stop.Why {
	case stepping.AtBeginning:
		return "replaylog:begin;"
	case stepping.AtPresent:
		return "replaylog:end;"
	case proc.Executed:
		if re.client.features.exec {
			return "exec:" + hex.EncodeToString([]byte(re.client.s.Target.Executable())) + ";"
		}
	case proc.AtSyscall:
		return syscallReason(stop.Syscall)
	case proc.AtBreakpoint:
		return re.breakpointReason(stop.Address)
	case proc.AtWatchpoint, stepping.AtWrite:
		if b := re.client.s.Breakpoints.ByID[re.client.s.State().Breakpoint]; b != nil && b.Watch != nil {
			return re.watchReason(b)
		}
	}
	return ""
}

// breakpointReason returns the kind of the client's breakpoint at an address. A
// breakpoint of the session is reported as a trap.
func (re *replies) breakpointReason(addr uint64) string {
	for key, b := range re.breakpoints.set {
		switch {
		case b.Watch != nil || b.Places[0].Addr != addr:
		case key[0] == software && re.client.features.swbreak:
			return "swbreak:;"
		case key[0] == hardware && re.client.features.hwbreak:
			return "hwbreak:;"
		}
	}
	return ""
}

// watchReason returns the kind of the client's watchpoint.
func (re *replies) watchReason(hit *stepping.Breakpoint) string {
	for key, b := range re.breakpoints.set {
		if b == hit {
			return fmt.Sprintf("%s:%x;", watchKinds[key[0]].reason, b.Watch.Address)
		}
	}
	return ""
}

// aloneReply returns the stop reply for the thread that a client steps alone, as gdb does to
// get over a breakpoint of its own, if the session stopped in another thread. gdb aborts with
// an internal error if such a step ends in another thread. The next packet that resumes is
// answered with the stop of that thread.
func (re *replies) aloneReply(stop proc.Stop) (reply []byte, ok bool, err error) {
	if re.alone == anyThread || stop.Ended() {
		return nil, false, nil
	}
	current, err := re.client.s.Target.View.CurrentThread()
	if err != nil || current == re.alone {
		return nil, false, err
	}
	regs, err := re.client.s.Target.View.Regs(re.alone)
	if err != nil {
		return nil, false, nil //nolint:nilerr // the thread has ended
	}
	re.untold = true
	re.client.print("triptych: the session has stopped in another thread, " + re.client.threadID(current) +
		"; a breakpoint of yours where this one stands keeps gdb here until it is deleted\n")
	return re.threadReply(signalTrap, "", re.alone, regs), true, nil
}
