package stepping

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// Maps keeps the symbols in step with what is mapped.
type Maps struct {
	inspector *inspect.Inspector
	target    *target.Target
	timeline  *Timeline

	Stale  bool        // the maps may have changed
	mapped procfs.Maps // as the symbols know them
}

// Refresh updates the symbols to the current mappings, if these may have
// changed.
func (ms *Maps) Refresh() error {
	if !ms.Stale {
		return nil
	}
	maps, err := ms.current()
	if err != nil {
		return err
	}
	if !slices.Equal(maps, ms.mapped) {
		ms.inspector.Program.Update(mappings(maps), ms.target.Memory())
	}
	ms.Stale, ms.mapped = false, maps
	return nil
}

// current returns the mappings at the current position. A recorder knows those of
// the present without asking the kernel.
func (ms *Maps) current() (procfs.Maps, error) {
	if ms.target.Process != nil && ms.timeline.Recorder != nil && !ms.timeline.InPast() {
		if maps, ok := ms.timeline.Recorder.Mappings(); ok {
			return maps, nil
		}
	}
	return ms.target.View.Maps()
}

// mappings returns the mappings of files and the vdso for the symbols.
func mappings(maps procfs.Maps) []symbols.Mapping {
	var out []symbols.Mapping
	for _, m := range maps {
		if m.Path != "" {
			out = append(out, symbols.Mapping{Start: m.Start, End: m.End, Offset: m.Offset, Path: m.Path, Executable: m.Execute})
		}
	}
	return out
}
