package target

import (
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/session/redact"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// Memory returns the memory of the current view for the symbols. The view
// changes with each move, so callers get it anew for each use.
func (d *Target) Memory() symbols.Memory {
	if !d.MaskSecrets {
		return memory{d.View}
	}
	m := memory{d.View}
	return maskable{m, displayed{m, d.masker()}}
}

// SetMaskSecrets sets whether secrets are masked in what is shown of the target.
func (d *Target) SetMaskSecrets(mask bool) {
	if d.MaskSecrets = mask; !mask {
		return
	}
	d.Secrets = new(redact.Known)
	if d.Output != nil {
		d.Output.MaskSecrets()
	}
}

// masker returns a masker of the memory of the current view.
func (d *Target) masker() *redact.Masker { return redact.New(memory{d.View}.ReadPart, d.Secrets) }

// MaskDisplayed masks the secrets in bytes of the memory that are shown, if the target
// says so.
func (d *Target) MaskDisplayed(addr uint64, p []byte) {
	if d.MaskSecrets {
		d.masker().Mask(addr, p)
	}
}

// Masked is shown in the place of a value that has a part of a secret.
const Masked = "<masked>"

// HasSecret reports whether a value that is not in memory has a part of a secret that must
// be masked.
func (d *Target) HasSecret(value []byte) bool { return d.Secrets.In(value) }

// ShownWord returns a value of a general register as it may be shown.
func (d *Target) ShownWord(value uint64) string {
	if d.HasSecret(binary.LittleEndian.AppendUint64(nil, value)) {
		return Masked
	}
	return plain.Hex(value)
}

// LearnSecrets remembers the secrets in the memory that the general registers of a thread
// point to, if the target masks secrets: an instruction that copies a secret has it in
// reach, though it may have only a part of it in its registers.
func (d *Target) LearnSecrets(thread int) {
	if !d.MaskSecrets {
		return
	}
	regs, err := d.View.Regs(thread)
	if err != nil {
		return // a thread that has ended has no registers to show
	}
	masker := d.masker()
	for _, addr := range []uint64{
		regs.RAX, regs.RBX, regs.RCX, regs.RDX, regs.RSI, regs.RDI, regs.RBP, regs.RSP,
		regs.R8, regs.R9, regs.R10, regs.R11, regs.R12, regs.R13, regs.R14, regs.R15,
	} {
		masker.Search(addr)
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
