package target

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/triptych-mcp/triptych/debugger/internal/core"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
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
		var errs error
		for _, path := range []string{
			fmt.Sprintf("/proc/%d/map_files/%x-%x", process.ID(), m.Start, m.End),
			filepath.Join(fmt.Sprintf("/proc/%d/root", process.ID()), m.Path),
			m.Path,
		} {
			f, err := core.OpenRegular(path)
			if err == nil {
				return f, nil
			}
			errs = errors.Join(errs, err)
		}
		return nil, errs
	}
}
