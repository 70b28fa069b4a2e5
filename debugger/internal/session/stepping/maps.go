package stepping

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// Refresh updates the symbols to the current mappings, if these may have
// changed.
func (s *Stepper) Refresh() error {
	if !s.Stale {
		return nil
	}
	maps, err := s.maps()
	if err != nil {
		return err
	}
	if !slices.Equal(maps, s.mapped) {
		s.Inspector.Program.Update(mappings(maps), s.Target.Memory())
	}
	s.Stale, s.mapped = false, maps
	return nil
}

// maps returns the mappings at the current position. A recorder knows those of
// the present without asking the kernel.
func (s *Stepper) maps() (procfs.Maps, error) {
	if s.Target.Process != nil && s.Recorder != nil && !s.InPast() {
		if maps, ok := s.Recorder.Mappings(); ok {
			return maps, nil
		}
	}
	return s.Target.View.Maps()
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
