package recording

import (
	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// With chaos, for half of the seeds, signals are delivered at unlucky moments: some instructions
// after they have come, or when the thread has just begun to wait in a system call. That call is
// then interrupted, and fails with EINTR unless the kernel restarts it (SA_RESTART). A signal is
// delivered before all other system calls, by which the thread could learn that one is late.
//
// Only signals are postponed that could have come later. A thread handles one that it has sent to
// itself before the call returns (kill(2)), and faults are raised by instructions.

// The distance, as a power of two of instructions, for which a signal is postponed: a random one,
// or up to the next system call.
const (
	longestPostponed = 16
	untilCall        = 24
)

// lateSignals are the signals that the threads of the program get late. It needs no lock: only the recorder
// uses it.
type lateSignals struct {
	log       *eventLog
	scheduler *scheduler
	pid       int
}

// postpone postpones the signal of a stop, if it decides so.
func (s *lateSignals) postpone(info *ptrace.SigInfo) bool {
	t := s.log.current
	if s.scheduler.chaos == nil || !s.scheduler.chaos.postpones || s.log.run.Regs.Restarts() || !s.comesAnytime(info) {
		return false
	}
	if s.log.run.Postponed() {
		s.log.run.Postpone() // signals come in their order
		return true
	}
	if t.postponedTo != 0 || s.scheduler.chance(4) {
		t.postponedTo = 0
		return false
	}
	if t.postponedTo = s.log.position() + 1<<untilCall; s.scheduler.chance(2) {
		t.postponedTo = s.log.position() + s.scheduler.magnitude(0, longestPostponed)
	}
	s.log.run.Postpone()
	return true
}

// comesAnytime reports whether a signal could have come at another time: another process, thread
// or timer has sent it, or a child has changed.
func (s *lateSignals) comesAnytime(info *ptrace.SigInfo) bool {
	switch signal := info.Signal(); {
	case info.Sent():
		own := info.Sender() == s.pid && info.Code() != codeTimer
		return !own || signal != unix.SIGPIPE && s.log.position() > s.log.current.sentAt+longest
	case signal == unix.SIGALRM, signal == unix.SIGVTALRM, signal == unix.SIGPROF, signal == unix.SIGCHLD:
		return true
	}
	return false
}

// codeTimer is SI_TIMER: the field of the sender is the number of the timer.
const codeTimer = -2

// noteSending notes a system call after which a signal for the current thread does not come late.
func (s *lateSignals) noteSending(g *ptrace.Regs) {
	switch g.RAX {
	case unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
		unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_RT_SIGPROCMASK:
		s.log.current.sentAt = s.log.position()
	}
}

// left returns the number of instructions up to a signal that was postponed, or sends it.
func (s *lateSignals) left() int64 {
	if !s.log.run.Postponed() {
		return 1<<63 - 1
	}
	if position := s.log.position(); position < s.log.current.postponedTo {
		return int64(s.log.current.postponedTo - position)
	}
	s.log.run.SendPostponed()
	return 1<<63 - 1
}

// before sends the postponed signal of the current thread, which is about to make a system
// call, and reports whether the signal is to be delivered before: not if it may interrupt the call.
func (s *lateSignals) before() bool {
	if !s.log.run.Postponed() {
		return false
	}
	s.log.run.SendPostponed()
	return !mayWait[s.log.run.Regs.RAX]
}

// mayWait lists system calls that a signal interrupts while they wait.
var mayWait = map[uint64]bool{
	unix.SYS_READ: true, unix.SYS_READV: true, unix.SYS_RECVFROM: true, unix.SYS_RECVMSG: true,
	unix.SYS_WRITE: true, unix.SYS_WRITEV: true, unix.SYS_SENDTO: true, unix.SYS_SENDMSG: true,
	unix.SYS_ACCEPT: true, unix.SYS_ACCEPT4: true, unix.SYS_CONNECT: true, unix.SYS_WAIT4: true, unix.SYS_WAITID: true,
	unix.SYS_POLL: true, unix.SYS_PPOLL: true, unix.SYS_SELECT: true, unix.SYS_PSELECT6: true, unix.SYS_PAUSE: true,
	unix.SYS_EPOLL_WAIT: true, unix.SYS_EPOLL_PWAIT: true, unix.SYS_FLOCK: true, unix.SYS_FUTEX: true,
	unix.SYS_NANOSLEEP: true, unix.SYS_CLOCK_NANOSLEEP: true, unix.SYS_SEMOP: true, unix.SYS_SEMTIMEDOP: true,
	unix.SYS_MSGRCV: true, unix.SYS_MSGSND: true,
}
