package target

import (
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
)

// Memory returns the memory of the current view for the symbols. The view
// changes with each move, so callers get it anew for each use.
func (d *Target) Memory() symbols.Memory { return memory{d.View} }

type memory struct{ scene View }

// ReadMemory fills p or fails.
func (m memory) ReadMemory(addr uint64, p []byte) error {
	_, err := m.scene.ReadMemory(addr, p)
	return err
}

// ReadPart reads as much of p as it can.
func (m memory) ReadPart(addr uint64, p []byte) int {
	n, _ := m.scene.ReadMemory(addr, p)
	return n
}
