package stepping

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
)

// Refresh makes the symbols know the maps as they are now.
func (s *Stepper) Refresh() error {
	if !s.Stale {
		return nil
	}
	maps, err := s.maps()
	if err != nil {
		return err
	}
	if !slices.Equal(maps, s.mapped) {
		s.Program.Update(mappings(maps), s.Memory())
	}
	s.Stale, s.mapped = false, maps
	return nil
}

// maps are those of the scene. The history of a process knows what its steps
// have mapped.
func (s *Stepper) maps() (proc.Maps, error) {
	if s.Process != nil && s.Recorder != nil && !s.InPast() {
		if maps, ok := s.Recorder.Mappings(); ok {
			return maps, nil
		}
	}
	return s.View.Maps()
}

// mappings are maps as the symbols want them: files and the vdso.
func mappings(maps proc.Maps) []symbols.Mapping {
	var out []symbols.Mapping
	for _, m := range maps {
		if m.Path != "" {
			out = append(out, symbols.Mapping{Start: m.Start, End: m.End, Offset: m.Offset, Path: m.Path})
		}
	}
	return out
}
