package ptrace

import (
	"fmt"
	"syscall"
)

// Kind says what happened to a traced thread.
type Kind uint8

// The kinds of events. After all of them up to Exiting the thread is stopped
// and waits for Cont, Step, Listen or Detach.
const (
	SignalStop  Kind = iota + 1 // Signal is about to be delivered
	GroupStop                   // the whole process was stopped by Signal
	EventStop                   // Interrupt, a new thread's first stop, or SIGCONT
	SyscallStop                 // before or after a system call
	Clone                       // Message is the new thread, or process
	Fork                        // Message is the child
	Vfork                       // Message is the child
	VforkDone                   // the child of a vfork has its own memory now
	Exec                        // a new program; Message is the id the thread had
	Exiting                     // the thread is about to end
	OtherStop                   // a stop of no interest
	Exited                      // the thread is gone with Status
	Killed                      // the thread is gone by Signal
)

var kindNames = [...]string{
	SignalStop: "signal", GroupStop: "group stop", EventStop: "event stop", SyscallStop: "system call",
	Clone: "clone", Fork: "fork", Vfork: "vfork", VforkDone: "vfork done", Exec: "exec",
	Exiting: "exiting", OtherStop: "other", Exited: "exited", Killed: "killed",
}

// String is the kind in words.
func (k Kind) String() string {
	if int(k) < len(kindNames) && kindNames[k] != "" {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// An Event is a change of one traced thread.
type Event struct {
	Thread  int
	Kind    Kind
	Signal  syscall.Signal // SignalStop, GroupStop, Killed
	Status  int            // Exited
	Message uint64         // Clone, Fork, Vfork, VforkDone, Exec, Exiting
}

// Gone says whether the thread has ended.
func (e Event) Gone() bool {
	return e.Kind == Exited || e.Kind == Killed
}

// traceKinds are the numbers of PTRACE_EVENT_… in a status.
var traceKinds = map[uint32]Kind{1: Fork, 2: Vfork, 3: Clone, 4: Exec, 5: VforkDone, 6: Exiting}

// eventStop is PTRACE_EVENT_STOP.
const eventStop = 128

// Decode turns a wait status into an event, all but its Message. See ptrace(2),
// "Stopped states"; a seized thread knows no other stop without an event than
// signal delivery.
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

// decodeStop tells the stops apart by their signal and event number.
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
