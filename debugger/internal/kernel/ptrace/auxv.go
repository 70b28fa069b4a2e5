package ptrace

import "encoding/binary"

// Keys of the auxiliary vector, see getauxval(3).
const (
	AuxBase  = 7  // where the loader is
	AuxEntry = 9  // where the program begins
	AuxVDSO  = 33 // where the vdso is
)

// Auxiliary looks a key up in the contents of /proc/PID/auxv.
func Auxiliary(auxv []byte, key uint64) (uint64, bool) {
	for ; len(auxv) >= 16; auxv = auxv[16:] {
		if binary.LittleEndian.Uint64(auxv) == key {
			return binary.LittleEndian.Uint64(auxv[8:]), true
		}
	}
	return 0, false
}
