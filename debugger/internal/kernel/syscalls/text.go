package syscalls

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Text describes a call as strace(1) does, as open("/etc/passwd", O_RDONLY). It calls
// read for strings in memory.
func Text(call Call, read Reader) string { return text(call, read, nil) }

// ReturnText describes a call that has returned, with its result.
func ReturnText(call Call, result int64, read Reader) string {
	return text(call, read, &result) + " = " + resultText(call.Number, result)
}

// resultText describes the result of a call.
func resultText(number uint64, result int64) string {
	if result < 0 && result > -4096 {
		return "-1 " + errorText(int(-result))
	}
	switch Name(number) {
	case "mmap", "mremap", "brk", "shmat":
		return fmt.Sprintf("%#x", uint64(result))
	}
	return strconv.FormatInt(result, 10)
}

// A caller formats the arguments of a call.
type caller struct {
	Call
	read   Reader
	result *int64 // nil before the call
}

func text(call Call, read Reader, result *int64) string {
	name := Name(call.Number)
	kinds, known := signatures[name]
	if !known {
		kinds = "xxxxxx"
	}
	if name == "" {
		name = fmt.Sprintf("call_%d", call.Number)
	}
	c := &caller{call, read, result}
	var args []string
	for i := range len(kinds) {
		if kinds[i] == 'm' && i > 0 && kinds[i-1] == 'o' && call.Args[i-1]&createFlags == 0 {
			break // there is no mode without a file to create
		}
		args = append(args, c.argument(i, kinds[i]))
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// createFlags are the flags of open(2) that make it use a mode: O_CREAT, and O_TMPFILE
// without O_DIRECTORY.
const createFlags = 0o100 | 0o20000000

// atCurrent is AT_FDCWD of Linux.
const atCurrent = -100

// argument formats an argument, given the letter of its kind in signatures.
func (c *caller) argument(i int, kind byte) string {
	v := c.Args[i]
	switch kind {
	case 'd':
		return strconv.Itoa(int(int32(v)))
	case 'l':
		return strconv.FormatInt(int64(v), 10)
	case 'u':
		return strconv.FormatUint(v, 10)
	case 'm':
		return fmt.Sprintf("%#o", uint32(v))
	case 'p':
		if v == 0 {
			return "NULL"
		}
	case 's':
		return c.text(v, maxText+1, true)
	case 'w':
		return c.text(v, c.Args[i+1], false)
	case 'r':
		if c.result != nil && *c.result >= 0 {
			return c.text(v, uint64(*c.result), false)
		}
	case 'a':
		if int32(v) == atCurrent {
			return "AT_FDCWD"
		}
		return strconv.Itoa(int(int32(v)))
	case 'o':
		return openText(v)
	case 'P':
		return flagText(v, protections, "PROT_NONE")
	case 'M':
		return flagText(v, mappings, "0")
	case 'S':
		return signalText(int(v))
	case 'x':
		if v == 0 {
			return "0"
		}
	case 'W':
		if v < uint64(len(origins)) {
			return origins[v]
		}
	}
	return fmt.Sprintf("%#x", v)
}

// maxText is the length of a string that is shown in full, as in strace.
const maxText = 32

// text reads text of at most n bytes, up to a null byte if it is a string.
func (c *caller) text(addr, n uint64, isString bool) string {
	if addr == 0 {
		return "NULL"
	}
	b := make([]byte, min(n, maxText+1))
	if !c.read(addr, b) {
		// The memory may end behind a string.
		for i := range b {
			if !c.read(addr+uint64(i), b[i:i+1]) {
				return fmt.Sprintf("%#x", addr)
			}
			if b[i] == 0 {
				break
			}
		}
	}
	if end := slices.Index(b, 0); isString && end >= 0 {
		b = b[:end]
	}
	if len(b) > maxText {
		return quoted(b[:maxText]) + "..."
	}
	return quoted(b)
}

// quoted writes text as a string of C.
func quoted(b []byte) string {
	var q strings.Builder
	q.WriteByte('"')
	for i, c := range b {
		switch {
		case c == '"' || c == '\\':
			q.WriteByte('\\')
			q.WriteByte(c)
		case c >= ' ' && c < 0x7f:
			q.WriteByte(c)
		case strings.IndexByte("\t\n\v\f\r", c) >= 0:
			q.WriteByte('\\')
			q.WriteByte("tnvfr"[strings.IndexByte("\t\n\v\f\r", c)])
		case i+1 < len(b) && b[i+1] >= '0' && b[i+1] <= '9':
			fmt.Fprintf(&q, "\\%03o", c)
		default:
			fmt.Fprintf(&q, "\\%o", c)
		}
	}
	q.WriteByte('"')
	return q.String()
}

// A flag is a bit, or some, of an argument.
type flag struct {
	bits uint64
	name string
}

// flagText lists the flags of a value.
func flagText(v uint64, flags []flag, none string) string {
	var parts []string
	for _, f := range flags {
		if v&f.bits == f.bits {
			parts = append(parts, f.name)
			v &^= f.bits
		}
	}
	if v != 0 {
		parts = append(parts, fmt.Sprintf("%#x", v))
	}
	if len(parts) == 0 {
		return none
	}
	return strings.Join(parts, "|")
}

// openText lists the flags of open(2), whose lowest two bits are a number.
func openText(v uint64) string {
	text := [...]string{"O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE"}[v&3]
	if rest := flagText(v&^3, openFlags, ""); rest != "" {
		text += "|" + rest
	}
	return text
}

// Flags as in the headers of Linux for amd64, those of several bits first.
var (
	openFlags = []flag{
		{0o20200000, "O_TMPFILE"}, {0o4010000, "O_SYNC"}, {0o100, "O_CREAT"}, {0o200, "O_EXCL"}, {0o400, "O_NOCTTY"}, {0o1000, "O_TRUNC"},
		{0o2000, "O_APPEND"}, {0o4000, "O_NONBLOCK"}, {0o10000, "O_DSYNC"}, {0o40000, "O_DIRECT"}, {0o100000, "O_LARGEFILE"},
		{0o400000, "O_NOFOLLOW"}, {0o1000000, "O_NOATIME"}, {0o2000000, "O_CLOEXEC"}, {0o10000000, "O_PATH"}, {0o200000, "O_DIRECTORY"},
	}
	protections = []flag{{1, "PROT_READ"}, {2, "PROT_WRITE"}, {4, "PROT_EXEC"}}
	mappings    = []flag{
		{3, "MAP_SHARED_VALIDATE"}, {1, "MAP_SHARED"}, {2, "MAP_PRIVATE"}, {0x10, "MAP_FIXED"}, {0x20, "MAP_ANONYMOUS"}, {0x40, "MAP_32BIT"},
		{0x100, "MAP_GROWSDOWN"}, {0x800, "MAP_DENYWRITE"}, {0x2000, "MAP_LOCKED"}, {0x4000, "MAP_NORESERVE"}, {0x8000, "MAP_POPULATE"},
		{0x10000, "MAP_NONBLOCK"}, {0x20000, "MAP_STACK"}, {0x40000, "MAP_HUGETLB"}, {0x100000, "MAP_FIXED_NOREPLACE"},
	}
	origins = [...]string{"SEEK_SET", "SEEK_CUR", "SEEK_END", "SEEK_DATA", "SEEK_HOLE"}
)

// signatures has the kinds of the arguments of calls by their names:
//
//	d int          p pointer                        o flags of open
//	l long         s string                         P protection
//	u unsigned     w text, its length next          M flags of mmap
//	x hexadecimal  r text of the result's length    S signal
//	m mode         a folder's descriptor            W whence
//
// What is not here has six arguments in hexadecimal.
var signatures = map[string]string{
	"read": "dru", "write": "dwu", "open": "som", "openat": "asom", "creat": "sm", "close": "d", "stat": "sp", "fstat": "dp", "lstat": "sp",
	"newfstatat": "aspx", "statx": "asxxp", "poll": "pud", "ppoll": "puppu", "lseek": "dlW", "mmap": "puPMdx", "mprotect": "puP", "munmap": "pu", "brk": "p",
	"rt_sigaction": "Sppu", "rt_sigprocmask": "dppu", "rt_sigreturn": "", "ioctl": "dxx", "pread64": "drul", "pwrite64": "dwul", "readv": "dpd",
	"writev": "dpd", "preadv": "dpdxx", "pwritev": "dpdxx", "access": "sd", "faccessat": "asd", "faccessat2": "asdx", "pipe": "p", "pipe2": "po",
	"select": "dpppp", "pselect6": "dppppp", "sched_yield": "", "mremap": "puuxp", "msync": "pux", "mincore": "pup", "madvise": "pud",
	"shmget": "xux", "shmat": "dpx", "shmctl": "ddp", "shmdt": "p", "dup": "d", "dup2": "dd", "dup3": "ddo", "pause": "", "nanosleep": "pp",
	"clock_nanosleep": "dxpp", "getitimer": "dp", "setitimer": "dpp", "alarm": "u", "getpid": "", "gettid": "", "getppid": "", "sendfile": "ddpu",
	"socket": "ddd", "connect": "dpu", "accept": "dpp", "accept4": "dppx", "sendto": "dwuxpu", "recvfrom": "druxpp", "sendmsg": "dpx", "recvmsg": "dpx",
	"sendmmsg": "dpux", "recvmmsg": "dpuxp", "shutdown": "dd", "bind": "dpu", "listen": "dd", "getsockname": "dpp", "getpeername": "dpp", "socketpair": "dddp",
	"setsockopt": "dddpu", "getsockopt": "dddpp", "clone": "xpppx", "clone3": "pu", "fork": "", "vfork": "", "execve": "spp", "execveat": "asppx", "exit": "d",
	"exit_group": "d", "wait4": "dpxp", "waitid": "ddpxp", "kill": "dS", "tkill": "dS", "tgkill": "ddS", "uname": "p", "fcntl": "dxx", "flock": "dx",
	"fsync": "d", "fdatasync": "d", "truncate": "sl", "ftruncate": "dl", "getdents": "dpu", "getdents64": "dpu", "getcwd": "pu", "chdir": "s", "fchdir": "d",
	"rename": "ss", "renameat": "asas", "renameat2": "asasx", "mkdir": "sm", "mkdirat": "asm", "rmdir": "s", "link": "ss", "linkat": "asasx", "unlink": "s",
	"unlinkat": "asx", "symlink": "ss", "symlinkat": "sas", "readlink": "sru", "readlinkat": "asru", "chmod": "sm", "fchmod": "dm", "fchmodat": "asm",
	"chown": "sdd", "fchown": "ddd", "lchown": "sdd", "fchownat": "asddx", "umask": "m", "gettimeofday": "pp", "getrlimit": "dp", "setrlimit": "dp",
	"prlimit64": "ddpp", "getrusage": "dp", "sysinfo": "p", "times": "p", "ptrace": "lxpx", "getuid": "", "getgid": "", "geteuid": "", "getegid": "",
	"setuid": "d", "setgid": "d", "setpgid": "dd", "getpgrp": "", "setsid": "", "getpgid": "d", "getsid": "d", "getgroups": "dp", "setgroups": "up",
	"sigaltstack": "pp", "mknod": "smx", "statfs": "sp", "fstatfs": "dp", "getpriority": "dd", "setpriority": "ddd", "sched_getaffinity": "dup",
	"sched_setaffinity": "dup", "mlock": "pu", "munlock": "pu", "mlockall": "x", "munlockall": "", "prctl": "xxxxx", "arch_prctl": "xp", "chroot": "s", "sync": "",
	"mount": "sssxp", "umount2": "sx", "sethostname": "wu", "futex": "pxuppx", "epoll_create": "d", "epoll_create1": "o", "epoll_wait": "dpdd",
	"epoll_pwait": "dpddpu", "epoll_ctl": "dddp", "set_tid_address": "p", "set_robust_list": "pu", "clock_gettime": "dp", "clock_settime": "dp", "clock_getres": "dp",
	"timer_create": "dpp", "timer_settime": "dxpp", "timer_gettime": "dp", "timer_delete": "d", "utimensat": "aspx", "inotify_init1": "o",
	"inotify_add_watch": "dsx", "inotify_rm_watch": "dd", "eventfd2": "uo", "signalfd4": "dpuo", "timerfd_create": "do", "timerfd_settime": "dxpp",
	"timerfd_gettime": "dp", "fallocate": "dxll", "splice": "dpdpux", "tee": "ddux", "unshare": "x", "setns": "dx", "getcpu": "ppp", "getrandom": "rux",
	"memfd_create": "sx", "seccomp": "xxp", "bpf": "dpu", "copy_file_range": "dpdpux", "rseq": "puxx", "pidfd_open": "dx", "pidfd_send_signal": "dSpx",
	"close_range": "uux", "process_vm_readv": "dpupux", "process_vm_writev": "dpupux", "membarrier": "dxd", "setxattr": "sswux", "getxattr": "ssru",
	"listxattr": "sru", "removexattr": "ss", "sched_getparam": "dp", "sched_getscheduler": "d", "rt_sigsuspend": "pu", "rt_sigpending": "pu", "rt_sigtimedwait": "pppu",
}
