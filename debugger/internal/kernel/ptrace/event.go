package ptrace

import (
	"fmt"
	"syscall"
)

// Kind is the kind of an event.
type Kind uint8

// The kinds of events. After those up to OtherStop the thread is stopped until Cont,
// Step, ToSyscall, Listen or Detach.
const (
	SignalStop  Kind = iota + 1 // Signal is about to be delivered
	GroupStop                   // Signal has stopped the process
	EventStop                   // Interrupt, a new thread's first stop, or SIGCONT
	SyscallStop                 // before or after a system call
	Clone                       // Message is the new thread or process
	Fork                        // Message is the child
	Vfork                       // Message is the child
	VforkDone                   // the child of a vfork has its own memory now
	Exec                        // a new program; Message is the former id of the thread
	Exiting                     // the thread is about to end
	Filtered                    // a seccomp filter reports a system call, see FilterEvents
	OtherStop                   // any other stop
	Exited                      // the thread has exited with Status
	Killed                      // the thread was killed by Signal
)

var kindNames = [...]string{
	SignalStop: "signal", GroupStop: "group stop", EventStop: "event stop", SyscallStop: "system call",
	Clone: "clone", Fork: "fork", Vfork: "vfork", VforkDone: "vfork done", Exec: "exec",
	Exiting: "exiting", Filtered: "filtered system call", OtherStop: "other", Exited: "exited", Killed: "killed",
}

// String returns the name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) && kindNames[k] != "" {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// An Event is a stop or the end of a traced thread.
type Event struct {
	Thread  int
	Kind    Kind
	Signal  syscall.Signal // SignalStop, GroupStop, Killed
	Status  int            // Exited
	Message uint64         // Clone, Fork, Vfork, VforkDone, Exec, Exiting
}

// Gone reports whether the thread has ended.
func (e Event) Gone() bool {
	return e.Kind == Exited || e.Kind == Killed
}

// traceKinds maps the values of PTRACE_EVENT_… to kinds.
var traceKinds = map[uint32]Kind{1: Fork, 2: Vfork, 3: Clone, 4: Exec, 5: VforkDone, 6: Exiting, 7: Filtered}

// eventStop is PTRACE_EVENT_STOP.
const eventStop = 128

// Decode converts a wait status to an event without its Message. See ptrace(2),
// "Stopped states": the only stops of a seized thread without an event number are
// signal-delivery and system call stops.
func Decode(thread int, status uint32) Event {
	e := Event{Thread: thread}
	low, high := status&0x7f, status>>8&0xff
	switch {
	case low == 0:
		e.Kind, e.Status = Exited, int(high)
	case low != 0x7f:
		e.Kind, e.Signal = Killed, syscall.Signal(low)
	default:
		e.Kind, e.Signal = decodeStop(high, status>>16)
	}
	return e
}

// decodeStop classifies a stop by its signal and event number.
func decodeStop(signal, event uint32) (Kind, syscall.Signal) {
	const trap = uint32(syscall.SIGTRAP)
	switch {
	case event == 0 && signal == trap|0x80:
		return SyscallStop, 0
	case event == 0:
		return SignalStop, syscall.Signal(signal)
	case event == eventStop && signal == trap:
		return EventStop, 0
	case event == eventStop:
		return GroupStop, syscall.Signal(signal)
	}
	if kind, ok := traceKinds[event]; ok {
		return kind, 0
	}
	return OtherStop, 0
}
