package target

import (
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
)

// Memory reads the scene for the symbols. It is made anew for each use: the
// scene changes with time.
func (d *Target) Memory() symbols.Memory { return memory{d.View} }

type memory struct{ scene View }

// ReadMemory reads all of p, or fails.
func (m memory) ReadMemory(addr uint64, p []byte) error {
	_, err := m.scene.ReadMemory(addr, p)
	return err
}

// ReadPart reads what can be read of p.
func (m memory) ReadPart(addr uint64, p []byte) int {
	n, _ := m.scene.ReadMemory(addr, p)
	return n
}
