package debugger

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
)

// Limits of the memory of files that are debugged, in MiB. The least is enough for a small
// program and its libraries.
const (
	defaultFileMemory = budget.Default >> 20
	minFileMemory     = 16
	maxFileMemory     = 1 << 20
)

// A FileMemory limits the memory, in MiB, of the files of one client once they are read:
// recordings, traces, core files and debug information. All clients together may take twice
// that. 0 means 512.
type FileMemory int

// RegisterFlag adds the flag that sets the limit.
func (m *FileMemory) RegisterFlag(set *pflag.FlagSet) {
	set.IntVar((*int)(m), budget.Flag, defaultFileMemory, "let the recordings, traces, core files and debug information of one client take so many `MiB` of memory once they are unpacked, and those of all clients twice that (TRIPTYCH_DEBUG_MEMORY)")
}

// limit returns the limit in bytes, from the variable if no flag has set another value than
// the default.
func (m FileMemory) limit(getenv func(string) string) (int64, error) {
	n := int(m)
	if n == 0 {
		n = defaultFileMemory
	}
	if err := mebibytes(&n, defaultFileMemory, "TRIPTYCH_DEBUG_MEMORY", getenv("TRIPTYCH_DEBUG_MEMORY")); err != nil {
		return 0, err
	}
	if n < minFileMemory || n > maxFileMemory {
		return 0, fmt.Errorf("files that are debugged cannot take %d MiB of memory: %d to %d are possible", n, minFileMemory, maxFileMemory)
	}
	return int64(n) << 20, nil
}
