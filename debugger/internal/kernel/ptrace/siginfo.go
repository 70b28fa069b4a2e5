package ptrace

import (
	"encoding/binary"
	"syscall"
)

// SigInfo is the kernel's siginfo_t.
type SigInfo [128]byte

// Values of SigInfo.Code.
const (
	CodeKernel = 0x80 // SI_KERNEL, for example of an int3 instruction
	CodeTrace  = 2    // SIGTRAP: a step
	CodeWatch  = 4    // SIGTRAP: an access to watched memory
	CodePerf   = 6    // SIGTRAP: a perf event
)

// Signal returns si_signo.
func (s *SigInfo) Signal() syscall.Signal { return syscall.Signal(s.int32(0)) }

// Code returns si_code.
func (s *SigInfo) Code() int { return int(s.int32(8)) }

// Sent reports whether a process or a timer sent the signal. Otherwise the kernel
// raised it (sigaction(2), si_code).
func (s *SigInfo) Sent() bool { return s.Code() <= 0 }

// Sender returns si_pid of a signal sent by a process.
func (s *SigInfo) Sender() int { return int(s.int32(16)) }

// Address returns si_addr of a fault.
func (s *SigInfo) Address() uint64 { return s.uint64(16) }

// SetAddress replaces si_addr.
func (s *SigInfo) SetAddress(a uint64) { binary.LittleEndian.PutUint64(s[16:], a) }

// PerfData returns si_perf_data: sig_data of the perf event of a CodePerf signal.
func (s *SigInfo) PerfData() uint64 { return s.uint64(24) }

// PerfLate reports whether the signal of a perf event was blocked when it was raised,
// so that the thread has run on since (TRAP_PERF_FLAG_ASYNC).
func (s *SigInfo) PerfLate() bool { return s.int32(36)&1 != 0 }

func (s *SigInfo) int32(at int) int32   { return int32(binary.LittleEndian.Uint32(s[at:])) }
func (s *SigInfo) uint64(at int) uint64 { return binary.LittleEndian.Uint64(s[at:]) }
