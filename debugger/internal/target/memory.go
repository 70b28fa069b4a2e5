package target

import (
	"github.com/triptych-mcp/triptych/debugger/internal/redact"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
)

// Memory returns the memory of the current view for the symbols. The view
// changes with each move, so callers get it anew for each use.
func (d *Target) Memory() symbols.Memory {
	if !d.MaskSecrets {
		return memory{d.View}
	}
	m := memory{d.View}
	return maskable{m, displayed{m, redact.New(m.ReadPart)}}
}

// MaskDisplayed masks the secrets in bytes of the memory that are shown, if the target
// says so.
func (d *Target) MaskDisplayed(addr uint64, p []byte) {
	if d.MaskSecrets {
		redact.New(memory{d.View}.ReadPart).Mask(addr, p)
	}
}

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

// maskable is memory that is displayed with its secrets masked.
type maskable struct {
	memory
	shown displayed
}

// Displayed returns the memory as it may be shown.
func (m maskable) Displayed() (symbols.Memory, bool) { return m.shown, true }

// displayed is memory whose secrets are masked.
type displayed struct {
	memory
	masker *redact.Masker
}

// ReadMemory fills p or fails.
func (m displayed) ReadMemory(addr uint64, p []byte) error {
	err := m.memory.ReadMemory(addr, p)
	m.masker.Mask(addr, p)
	return err
}

// ReadPart reads as much of p as it can.
func (m displayed) ReadPart(addr uint64, p []byte) int {
	n := m.memory.ReadPart(addr, p)
	m.masker.Mask(addr, p[:n])
	return n
}
