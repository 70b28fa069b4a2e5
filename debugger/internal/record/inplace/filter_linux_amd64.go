package inplace

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/translate"
)

// filter returns a seccomp filter that reports exits from the cache to the tracer and
// permits all else. The offsets belong to struct seccomp_data.
func filter() []unix.SockFilter {
	const number, architecture, argument = 0, 4, 16
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	unless := func(value uint32, skip uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: value, Jf: skip}
	}
	result := func(value uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: value}
	}
	return []unix.SockFilter{
		load(architecture), unless(unix.AUDIT_ARCH_X86_64, 7),
		load(number), unless(translate.ExitCallNumber, 5),
		load(argument), unless(translate.ExitCallArgument&(1<<32-1), 3),
		load(argument + 4), unless(translate.ExitCallArgument>>32, 1),
		result(unix.SECCOMP_RET_TRACE),
		result(unix.SECCOMP_RET_ALLOW),
	}
}

// HasExitFilter reports whether a thread has the filter of [CallBuffer.Use]. It must not be
// traced with [ptrace.FilterEvents]: the system call of exits then fails.
func HasExitFilter(tid int, inject Injector) (bool, error) {
	_, err := inject(tid, translate.ExitCallNumber, [6]uint64{translate.ExitCallArgument}, nil)
	if errors.Is(err, unix.ENOSYS) {
		return true, nil
	}
	return false, err
}

// installFilter makes the thread install the filter. Its instructions are stored below the
// stack meanwhile.
func (cb *CallBuffer) installFilter() error {
	program := filter()
	var b []byte
	for _, f := range program {
		b = binary.LittleEndian.AppendUint16(b, f.Code)
		b = append(b, f.Jt, f.Jf)
		b = binary.LittleEndian.AppendUint32(b, f.K)
	}
	const header = 16 // struct sock_fprog
	at := (cb.runner.Regs.RSP - redZone - uint64(header+len(b))) &^ 15
	head := binary.LittleEndian.AppendUint64(nil, uint64(len(program)))
	head = binary.LittleEndian.AppendUint64(head, at+header)
	old := make([]byte, header+len(b))
	if _, err := cb.runner.memory.Read(at, old); err != nil {
		return err
	}
	if _, err := cb.runner.memory.Write(at, append(head, b...)); err != nil {
		return err
	}
	err := cb.setFilter(at)
	_, restored := cb.runner.memory.Write(at, old)
	return errors.Join(err, restored)
}

// setFilter makes the thread install a filter in all threads. The flag SPEC_ALLOW keeps older
// kernels from making the process slower, see seccomp(2).
func (cb *CallBuffer) setFilter(at uint64) error {
	const flags = unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW | unix.SECCOMP_FILTER_FLAG_TSYNC
	set := func() error {
		other, err := cb.runner.space.inject(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, at)
		if err == nil && other != 0 {
			err = fmt.Errorf("thread %d has other filters", other)
		}
		return err
	}
	err := set()
	if !errors.Is(err, unix.EACCES) {
		return err
	}
	if _, err := cb.runner.space.inject(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1); err != nil {
		return err
	}
	return set()
}
