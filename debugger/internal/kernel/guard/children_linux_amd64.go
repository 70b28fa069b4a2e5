package guard

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A child inherits the int3 instructions that are in the memory of its parent at the time of
// the fork. The debugger removes them before the child executes an instruction, but perhaps it
// is killed before. Then they may already be out of the parent's memory, because a thread was
// stepped past one.

// forkTime is the time for which the guard looks for children: a fork lists the child only after
// it has copied all page tables, which takes tens of milliseconds for some gigabytes.
const forkTime = 200 * time.Millisecond

// repairs removes int3 instructions from children that the debugger had no time to clean.
type repairs struct {
	patches map[uint64]byte
	rescue  uint64
	owner   []byte

	done map[string]bool // children by their ids
}

// children repairs the children of a process, and theirs. A child whose memory cannot
// be opened keeps the instructions.
func (r *repairs) children(memory *os.File) {
	self, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", memory.Fd()))
	if err != nil {
		return
	}
	lists, _ := filepath.Glob(filepath.Join(filepath.Dir(self), "task", "*", "children")) // the pattern is valid
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for child := range strings.FieldsSeq(string(text)) {
			if !sameProgram(filepath.Dir(self), filepath.Join("/proc", child)) {
				continue // it has begun another one, and has memory of its own
			}
			r.child(child)
		}
	}
}

// child repairs a child that has the rescue code of its parent, or its int3
// instructions, and then its children.
func (r *repairs) child(id string) {
	f, err := os.OpenFile(filepath.Join("/proc", id, "mem"), os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	if !r.done[id] { // another debugger may be attached to it soon
		r.done[id] = true
		r.memory(f)
	}
	r.children(f)
}

// memory removes the instructions before the rescue code is told that they are out. It does
// not matter if it fails, because the child has ended then.
func (r *repairs) memory(f *os.File) {
	for address, original := range r.patches {
		_ = repair(f, address, original)
	}
	code := make([]byte, len(RescueCode))
	if _, err := f.ReadAt(code, int64(r.rescue)); r.rescue != 0 && err == nil && bytes.Equal(code, RescueCode) {
		_, _ = f.WriteAt(r.owner, int64(r.rescue+rescueRepaired))
	}
}

// sameProgram reports whether two processes, given by their folders in /proc, run the
// same program.
func sameProgram(a, b string) bool {
	x, err := os.Stat(filepath.Join(a, "exe"))
	if err != nil {
		return false
	}
	y, err := os.Stat(filepath.Join(b, "exe"))
	return err == nil && os.SameFile(x, y)
}
