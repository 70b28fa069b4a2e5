package recording

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
)

// hideSavedVDSO hides the vdso of a new program in /proc/self/auxv, too, where some libraries
// look for it. A kernel without the configuration CHECKPOINT_RESTORE does not permit it.
func hideSavedVDSO(run *inplace.Runner, pid int) error {
	folder := "/proc/" + strconv.Itoa(pid)
	auxv, err := os.ReadFile(folder + "/auxv")
	if err != nil {
		return err
	}
	for at := 0; at+16 <= len(auxv); at += 16 {
		if binary.LittleEndian.Uint64(auxv[at:]) == ptrace.AuxVDSO {
			binary.LittleEndian.PutUint64(auxv[at:], auxIgnore)
		}
	}
	layout, err := memoryLayout(pid)
	if err != nil {
		return err
	}
	err = setAuxv(run, layout, auxv)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EPERM) {
		return nil
	}
	return err
}

// setAuxv makes the program tell the kernel its layout, with another auxiliary vector. What the
// kernel reads is below the stack meanwhile.
func setAuxv(run *inplace.Runner, layout []uint64, auxv []byte) error {
	const red = 4096 // of the stack, which the program may use
	b := make([]byte, 0, len(layout)*8+16+len(auxv))
	at := run.Regs.RSP - red - uint64(cap(b))
	for _, address := range layout {
		b = binary.LittleEndian.AppendUint64(b, address)
	}
	b = binary.LittleEndian.AppendUint64(b, at+uint64(len(layout)*8+16))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(auxv)))
	b = binary.LittleEndian.AppendUint32(b, math.MaxUint32) // the program stays the same file
	size := uint64(len(b))
	b = append(b, auxv...)
	before := make([]byte, len(b))
	if _, err := run.Memory().Read(at, before); err != nil {
		return err
	}
	if _, err := run.Memory().Write(at, b); err != nil {
		return err
	}
	_, err := run.Inject(unix.SYS_PRCTL, unix.PR_SET_MM, unix.PR_SET_MM_MAP, at, size, 0)
	_, restored := run.Memory().Write(at, before)
	return errors.Join(err, restored)
}

// memoryLayout returns the first fields of struct prctl_mm_map for a new program: start_code,
// end_code, start_data, end_data, start_brk, the end of the heap, which is empty, start_stack,
// arg_start, arg_end, env_start and env_end.
func memoryLayout(pid int) ([]uint64, error) {
	return statAddresses(pid, 26, 27, 45, 46, startBreak, startBreak, 28, 48, 49, 50, 51)
}
