package waits

import (
	"fmt"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/syscalls"
)

// blocking has the system calls that wait, by their numbers, and what describes them.
var blocking = map[uint64]func(r *reader, call syscalls.Call) string{
	0: input, 17: input, 19: input, 45: input, 47: input, 295: input, 299: input, 327: input, // read, pread64, readv, recvfrom, recvmsg, preadv, recvmmsg, preadv2
	1: output, 18: output, 20: output, 44: output, 46: output, 40: output, 296: output, 307: output, // write, pwrite64, writev, sendto, sendmsg, sendfile, pwritev, sendmmsg
	43: onDescriptor("a connection to"), 288: onDescriptor("a connection to"), // accept, accept4
	42: onDescriptor("the connection of"),            // connect
	73: onDescriptor("the lock (flock) of"),          // flock
	72: recordLock,                                   // fcntl
	7:  polled, 271: polled, 23: chosen, 270: chosen, // poll, ppoll, select, pselect6
	232: onDescriptor("an event of"), 281: onDescriptor("an event of"), 441: onDescriptor("an event of"), // epoll_wait, epoll_pwait, epoll_pwait2
	202: nil,               // futex, see futex.go
	35:  slept, 230: slept, // nanosleep, clock_nanosleep
	34: signalled, 130: signalled, 128: signalled, // pause, rt_sigsuspend, rt_sigtimedwait
	61: child, 247: child, // wait4, waitid
	65: plainText, 220: plainText, 69: plainText, 70: plainText, // semop, semtimedop, msgsnd, msgrcv
	2: plainText, 257: plainText, 437: plainText, // open, openat, openat2: a FIFO
	242: onDescriptor("room in the queue"), 243: onDescriptor("a message in the queue"), // mq_timedsend, mq_timedreceive
	208: plainText, 333: plainText, 426: plainText, 449: plainText, // io_getevents, io_pgetevents, io_uring_enter, futex_waitv
	275: input, 276: input, 74: onDescriptor("the disk to have"), 75: onDescriptor("the disk to have"), // splice, tee, fsync, fdatasync
}

const futexCall = 202

// describe returns what a thread waits for in a call, and false if the call does not wait.
func (r *reader) describe(thread int, call syscalls.Call) (Wait, bool) {
	if call.Number == futexCall {
		return r.futex(thread, call)
	}
	text := blocking[call.Number](r, call)
	return Wait{For: text}, text != ""
}

func input(r *reader, call syscalls.Call) string  { return "input from " + r.descriptor(call.Args[0]) }
func output(r *reader, call syscalls.Call) string { return "output to " + r.descriptor(call.Args[0]) }

func onDescriptor(what string) func(*reader, syscalls.Call) string {
	return func(r *reader, call syscalls.Call) string { return what + " " + r.descriptor(call.Args[0]) }
}

// recordLock describes fcntl, of which only the commands that lock wait.
func recordLock(r *reader, call syscalls.Call) string {
	const setAndWait, setOpenAndWait = 7, 38
	if cmd := call.Args[1]; cmd != setAndWait && cmd != setOpenAndWait {
		return ""
	}
	return "the lock (fcntl) of " + r.descriptor(call.Args[0])
}

// maxDescriptors is the maximum number of descriptors of a call that are named.
const maxDescriptors = 8

// polled describes poll: an array of descriptors and their events.
func polled(r *reader, call syscalls.Call) string {
	const size = 8
	var all []uint64
	for i := range min(call.Args[1], maxDescriptors+1) {
		all = append(all, uint64(r.word(call.Args[0]+size*i)))
	}
	return r.events(all)
}

// chosen describes select: three sets of descriptors.
func chosen(r *reader, call syscalls.Call) string {
	var all []uint64
	for fd := range min(call.Args[0], 1024) {
		for _, set := range call.Args[1:4] {
			if set != 0 && r.word(set+fd/32*4)>>(fd%32)&1 == 1 {
				all = append(all, fd)
				break
			}
		}
	}
	return r.events(all)
}

// events describes a wait for events of some descriptors.
func (r *reader) events(all []uint64) string {
	if len(all) == 0 {
		return "time to pass (sleep)"
	}
	var names []string
	for i, fd := range all {
		if i == maxDescriptors {
			names = append(names, "more")
			break
		}
		names = append(names, r.descriptor(fd))
	}
	return "an event of " + strings.Join(names, ", ")
}

// slept describes a sleep by its argument: how long, or until when.
func slept(r *reader, call syscalls.Call) string {
	const clockNanosleep, absolute = 230, 1
	at := call.Args[0]
	if call.Number == clockNanosleep {
		if at = call.Args[2]; call.Args[1]&absolute != 0 {
			return "a time of the clock (sleep)"
		}
	}
	return "the end of a sleep of " + (time.Duration(r.quad(at))*time.Second + time.Duration(r.quad(at+8))).Round(time.Millisecond).String()
}

func signalled(*reader, syscalls.Call) string { return "a signal" }

// child describes a wait for a child process.
func child(_ *reader, call syscalls.Call) string {
	const waitid, byPID = 247, 1
	id := int32(call.Args[0])
	if call.Number == waitid {
		if id = int32(call.Args[1]); call.Args[0] != byPID {
			id = -1
		}
	}
	if id > 0 {
		return fmt.Sprintf("the end of process %d", id)
	}
	return "the end of a child process"
}

// plainText describes a call as strace does, without the secrets in its memory.
func plainText(r *reader, call syscalls.Call) string {
	return "the end of " + syscalls.Text(call, func(addr uint64, b []byte) bool {
		ok := r.read(addr, b)
		r.inspector.Target.MaskDisplayed(addr, b)
		return ok
	})
}

// descriptor names a descriptor, with its file at the present of a process.
func (r *reader) descriptor(fd uint64) string {
	text := fmt.Sprintf("descriptor %d", int32(fd))
	if !r.live {
		return text
	}
	if file := r.inspector.Target.Process.Descriptor(int(int32(fd))); file != "" {
		text += " (" + file + ")"
	}
	return text
}
