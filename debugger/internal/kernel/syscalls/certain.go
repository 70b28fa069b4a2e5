package syscalls

import "math"

// counted has the calls that write as many bytes, or elements, as they return, and nothing else,
// with the sizes of the elements (section 2 of the manual).
var counted = map[string]uint64{
	"read": 1, "pread64": 1, "readv": 1, "preadv": 1, "preadv2": 1, "getdents": 1, "getdents64": 1,
	"readlink": 1, "readlinkat": 1, "getrandom": 1, "getcwd": 1,
	"epoll_wait": epollEvent, "epoll_pwait": epollEvent, "epoll_pwait2": epollEvent,
}

// epollEvent is the size of a struct epoll_event.
const epollEvent = 12

// countedFirst has calls that write as many bytes as they return, and then something else.
var countedFirst = map[string]bool{"recvfrom": true, "sched_getaffinity": true}

// whole has the calls that write all of their memory if they succeed.
var whole = map[string]bool{
	"stat": true, "fstat": true, "lstat": true, "newfstatat": true, "statx": true, "statfs": true, "fstatfs": true,
	"pipe": true, "pipe2": true, "socketpair": true, "uname": true, "sysinfo": true, "getrusage": true, "times": true,
	"clock_gettime": true, "clock_getres": true, "gettimeofday": true, "time": true, "getcpu": true,
	"getitimer": true, "setitimer": true, "timer_gettime": true, "timerfd_gettime": true, "sched_rr_get_interval": true,
	"getrlimit": true, "prlimit64": true, "getresuid": true, "getresgid": true,
	"rt_sigaction": true, "rt_sigprocmask": true, "rt_sigpending": true, "sigaltstack": true,
}

// Counted reports whether a call writes as many bytes as it returns, and nothing else.
func Counted(number uint64) bool { return counted[Name(number)] == 1 }

// Written returns how many bytes a call that has returned has certainly written, from the
// beginning of what it may write. Of others only those that have changed are known.
func Written(number uint64, result int64) uint64 {
	name := Name(number)
	switch size := counted[name]; {
	case result < 0:
		return 0
	case size > 0:
		return uint64(result) * size
	case countedFirst[name]:
		return uint64(result)
	case whole[name]:
		return math.MaxUint64
	}
	return 0
}
