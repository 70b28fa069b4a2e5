package target

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/program/core"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// OfProcess returns the target for a stopped process.
func OfProcess(p *proc.Process, out *Output, reason string) Target {
	return Target{
		Kind: "process", PID: p.ID(), Process: p, Output: out, View: p, OpenImage: processImageOpener(p), Reason: reason,
	}
}

// processImageOpener returns a function that opens the mapped files of a
// process as the process sees them, also files that were deleted or replaced,
// and those of its container.
func processImageOpener(process *proc.Process) func(symbols.Mapping) (symbols.File, error) {
	return func(m symbols.Mapping) (symbols.File, error) {
		paths := []string{filepath.Join(fmt.Sprintf("/proc/%d/root", process.ID()), m.Path), m.Path}
		if strings.HasSuffix(m.Path, deletedFile) {
			paths, _ = filepath.Glob(fmt.Sprintf("/proc/%d/map_files/%x-*", process.ID(), m.Start)) // the pattern is right
			f, err := openFirst(m.Path, paths)
			return f, deletedError(err)
		}
		return openFirst(m.Path, paths)
	}
}

// openFirst opens the first of the paths of a mapped file that can be opened.
func openFirst(name string, paths []string) (symbols.File, error) {
	errs := fmt.Errorf("open %s: %w", name, fs.ErrNotExist)
	for _, path := range paths {
		f, err := core.OpenRegular(path)
		if err == nil {
			return f, nil
		}
		errs = errors.Join(errs, err)
	}
	return nil, errs
}

// deletedError is the error of a mapped file that was deleted or replaced, with what to do.
func deletedError(err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return fmt.Errorf("%w: a file that was deleted or replaced is read by root and with the capability CAP_CHECKPOINT_RESTORE: start the program again, or triptych with it", fs.ErrPermission)
}

// deletedFile ends the path of a mapped file that was deleted or replaced. The kernel lets
// privileged users open it in /proc/PID/map_files, by the addresses of one mapping (proc(5)); a
// file has several.
const deletedFile = " (deleted)"
