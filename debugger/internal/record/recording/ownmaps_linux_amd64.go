package recording

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
)

// mapLists names the files below /proc/PID that list the mappings of a process, with lines that
// begin with their addresses (proc_pid_maps(5)).
var mapLists = map[string]bool{"maps": true, "smaps": true}

// opened is the file that the last system call of the program has opened. It needs no lock: only the
// recorder uses it.
type opened struct {
	run        *inplace.Runner // of the program
	descriptor uint64
	path       uint64 // address of its name, 0 for no file
}

// note notes what the last system call has opened.
func (o *opened) note(g *ptrace.Regs, result uint64) {
	if o.descriptor, o.path = result, openedPath(g); int64(result) < 0 {
		o.path = 0
	}
}

// hideCache puts a copy without the code cache in the place of a list of mappings that the
// program has just opened: sanitizers, garbage collectors and unwinders take what is listed for
// the program's. The copy does not follow what the program maps later. It is called before the
// next system call: after one that was made without a stop there is a stop at it.
func (o *opened) hideCache() error {
	if o.path == 0 {
		return nil
	}
	name := o.path
	o.path = 0
	list := descriptorPath(o.run.Thread(), int(o.descriptor))
	target, err := os.Readlink(list)
	if err != nil || !mapLists[path.Base(target)] || !strings.HasPrefix(target, "/proc/") {
		return nil //nolint:nilerr // the program has it as it is
	}
	text, err := os.ReadFile(list)
	if err != nil {
		return nil //nolint:nilerr // likewise
	}
	if own := withoutRanges(text, o.run.Owns); len(own) < len(text) {
		return o.exchange(name, own)
	}
	return nil
}

// openedPath returns the address of the path that a system call opens, or 0.
func openedPath(g *ptrace.Regs) uint64 {
	switch g.RAX {
	case unix.SYS_OPEN:
		return g.RDI
	case unix.SYS_OPENAT, unix.SYS_OPENAT2:
		return g.RSI
	}
	return 0
}

// withoutRanges drops the mappings of which drop is true from a list.
func withoutRanges(list []byte, drop func(start, length uint64) bool) []byte {
	kept := make([]byte, 0, len(list))
	dropped := false
	lines := bufio.NewReader(bytes.NewReader(list))
	for {
		line, err := lines.ReadBytes('\n')
		if m, wrong := procfs.ParseMap(strings.TrimSuffix(string(line), "\n")); wrong == nil { // other lines tell more of it
			dropped = drop(m.Start, m.End-m.Start)
		}
		if !dropped {
			kept = append(kept, line...)
		}
		if err != nil { // the end
			return kept
		}
	}
}

// exchange gives the descriptor another file, with a name and contents. If the program can
// have no more files, it keeps its own.
func (o *opened) exchange(name uint64, contents []byte) error {
	other, err := o.run.Inject(unix.SYS_MEMFD_CREATE, name, 0)
	if err != nil {
		return refusal(err)
	}
	flags, _ := descriptorFlags(o.run.Thread(), strconv.FormatUint(o.descriptor, 10)) // 0: it stays open over an exec
	err = os.WriteFile(descriptorPath(o.run.Thread(), int(other)), contents, 0)
	if err == nil {
		_, err = o.run.Inject(unix.SYS_DUP3, other, o.descriptor, flags&unix.O_CLOEXEC)
	}
	_, closing := o.run.Inject(unix.SYS_CLOSE, other)
	return errors.Join(err, closing)
}

// refusal returns an error unless the kernel has refused a system call.
func refusal(err error) error {
	if _, ok := errors.AsType[unix.Errno](err); ok {
		return nil
	}
	return err
}
