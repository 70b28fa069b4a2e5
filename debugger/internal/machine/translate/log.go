package translate

import (
	"encoding/binary"
	"math/bits"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// Blocks can write a log of some instructions, see Request.Log: an entry before each of them, in
// memory that the process may write. Where the log has no room, the block is left by an exit of
// kind ExitLog. The code changes no flags.
//
//	save rcx
//	mov rcx, [LogRoom]         number of entries for which there is room
//	jrcxz                      to the exit
//	lea rcx, [rcx-1]
//	mov [LogRoom], rcx
//	restore rcx; save rdx
//	mov rcx, where it goes     loaded by the operand of the instruction
//	mov rdx, [LogNext]         address of the next entry
//	…                          fill it
//	lea rdx, [rdx+64]
//	mov [LogNext], rdx
//	restore rdx; restore rcx
//
// An instruction of Request.LogMemory has the address of its memory operand in place of where it leads.
// A string operation has rdi there, and a second entry, with rsi in place of rsp, and rcx.
//
// A return may be logged twice, if it leads elsewhere than in a block that contains the call, a
// conditional jump before it and when it jumps, and an instruction before it faults: of entries with
// the same count, the last one counts.

// Offsets in an entry.
const (
	entryPC     = 0
	entryUndone = 8  // counted instructions that were not executed before it
	entryChange = 12 // of rsp, or noBranch
	entryNext   = 16 // where it leads, or of one that is no branch, rsp afterwards
	entrySP     = 24
	entryLeft   = 32 // the counters

	// EntrySize is the size of an entry in bytes.
	EntrySize = entryLeft + 8*counters
)

// noBranch, as the change of rsp, marks an instruction that is no branch. Its length is added.
const noBranch = 1 << 20

// The changes of rsp that mark entries with addresses.
const (
	operandAddress = 1 << 21 // of a memory operand, or [rdi] of a string operation
	sourceAddress  = 1 << 22 // [rsi] of a string operation, and rcx
)

// maxLogged is the number of instructions of the longest block with a log, and maxLoggedTwice of one
// whose instructions may have two entries.
const (
	maxLogged      = 50
	maxLoggedTwice = maxLogged / 2
)

// An Entry is an instruction in a log.
type Entry struct {
	Left   int64 // instructions that were left before it
	PC, SP uint64
	Next   uint64 // address of the instruction after it, as far as it was known
	NextSP uint64 // rsp afterwards

	// Of an instruction of Request.LogMemory:
	HasAddress bool
	HasSource  bool   // it is the second entry of a string operation, which has Source and Count
	Address    uint64 // of the memory operand, or rdi of a string operation
	Source     uint64 // rsi
	Count      uint64 // rcx
}

// Decode decodes an entry of EntrySize bytes.
func (e *Entry) Decode(b []byte) {
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	sum := int64(0)
	for n := range counters {
		sum += int64(word(entryLeft + 8*n))
	}
	undone, change := int32(binary.LittleEndian.Uint32(b[entryUndone:])), int32(binary.LittleEndian.Uint32(b[entryChange:]))
	*e = Entry{Left: Reserve + withoutBias(sum) + int64(undone), PC: word(entryPC), SP: word(entrySP), Next: word(entryNext)}
	switch {
	case change == operandAddress:
		e.HasAddress, e.Address = true, e.Next
	case change == sourceAddress:
		e.HasSource, e.Source, e.Count = true, e.SP, e.Next
	case change >= noBranch:
		e.Next, e.NextSP = e.PC+uint64(change-noBranch), e.Next
	default:
		e.NextSP = e.SP + uint64(int64(change))
	}
}

// SetLog makes blocks write n entries from an address on.
func (c Context) SetLog(start uint64, n int) {
	c.set(contextLogNext, start)
	c.set(contextLogRoom, uint64(n))
}

// Logged returns the address behind the last entry.
func (c Context) Logged() uint64 { return binary.LittleEndian.Uint64(c[contextLogNext:]) }

// logs reports whether an instruction is logged before it is executed, and whether it is logged
// when it jumps. Those that always jump are not logged there.
func (t *translation) logs(in *x86.Inst) (before, jumps bool) {
	jumps, always := t.Log(in)
	if in.Class.Is(x86.Jump | x86.Cond) {
		return always, jumps
	}
	return jumps || always, false
}

// log adds the log of the current instruction before it.
func (t *translation) log(p *planned) {
	if p.logged {
		t.mark(0)
		t.logIn(&t.hot, p, false)
	}
	if p.address {
		t.mark(0)
		t.logIn(&t.hot, p, false)
		if IsString(&p.in) {
			t.mark(0)
			t.logIn(&t.hot, p, true)
		}
	}
}

// IsString reports whether an instruction is a string operation, which uses [rdi] or [rsi], or both.
func IsString(in *x86.Inst) bool {
	for n := range 2 {
		if k := in.Operand(n).Kind; k == x86.Destination || k == x86.Source {
			return true
		}
	}
	return false
}

// logJump adds the log of a conditional jump, which has led to the cold code, and returns the
// address of the distance of a jump there.
func (t *translation) logJump(p *planned, link uint64) uint64 {
	if !p.logsJump {
		return link
	}
	t.logIn(&t.cold, p, false)
	t.cold.jump(t.cold.address() + 5)
	return t.cold.address() - 4
}

// logIn adds the log of the current instruction to a section, or that of the source of a string
// operation.
func (t *translation) logIn(s *section, p *planned, source bool) {
	in, hot := &p.in, s == &t.hot
	saved := func(set uint16) {
		if hot {
			t.mark(set)
		}
	}
	s.save(x86.RCX)
	saved(1 << x86.RCX)
	s.load(x86.RCX, contextLogRoom)
	s.raw(0xe3, 2, 0xeb, 5) // jrcxz over the jump over the next one
	full := s.jump(0)
	t.full = append(t.full, logFull{hot, full, in.PC, t.undone()})
	s.raw(0x48, 0x8d, 0x49, 0xff) // lea rcx, [rcx-1]
	s.store(x86.RCX, contextLogRoom)
	s.restore(x86.RCX)
	s.save(x86.RDX)
	saved(1<<x86.RCX | 1<<x86.RDX)
	change, second := int32(sourceAddress), x86.RSI
	if !source {
		change, second = t.loadNext(s, p), x86.RSP
	}
	s.load(x86.RDX, contextLogNext)
	s.toEntry(x86.RCX, entryNext)
	s.loadImmediate(x86.RCX, in.PC)
	s.toEntry(x86.RCX, entryPC)
	s.loadImmediate(x86.RCX, uint64(uint32(t.undone()))|uint64(uint32(change))<<32)
	s.toEntry(x86.RCX, entryUndone)
	s.toEntry(second, entrySP)
	for n := range uint8(counters) {
		s.load(x86.RCX, counterField(n))
		s.toEntry(x86.RCX, entryLeft+8*n)
	}
	s.raw(0x48, 0x8d, 0x52, EntrySize) // lea rdx, [rdx+EntrySize]
	s.store(x86.RDX, contextLogNext)
	s.restore(x86.RDX)
	s.restore(x86.RCX)
}

// toEntry adds the move of a register to a field of the entry at rdx.
func (s *section) toEntry(reg x86.Reg, at uint8) {
	s.raw(0x48, 0x89, 0x42|byte(reg&7)<<3, at) // mov [rdx+at], reg
}

// loadNext loads into rcx where an instruction leads, and returns by how much it changes rsp. Both
// registers that the log uses have the program's values before.
func (t *translation) loadNext(s *section, p *planned) (change int32) {
	in, code := &p.in, p.code
	target, direct := in.Target()
	switch {
	case p.address:
		s.loadAddress(in)
		return operandAddress
	case in.Class.Is(x86.Return):
		s.raw(0x48, 0x8b, 0x0c, 0x24) // mov rcx, [rsp]
		return 8 + int32(in.Imm)
	case direct && in.Class.Is(x86.Cond) && s == &t.hot:
		s.loadImmediate(x86.RCX, in.Next()) // if it jumps, it may be logged again
	case direct:
		s.loadImmediate(x86.RCX, target)
	case in.Class&branches != 0:
		t.loadOperand(x86.RCX, in, code) // of the hot code, which has all of these
	default:
		return noBranch + int32(in.Len)
	}
	if in.Class.Is(x86.Call) {
		return -8
	}
	return 0
}

// loadAddress loads the address of the memory operand into rcx, or rdi for a string operation.
func (s *section) loadAddress(in *x86.Inst) {
	m := &in.Mem
	switch {
	case IsString(in):
		s.raw(0x48, 0x89, 0xf9) // mov rcx, rdi
		return
	case m.Base == x86.RIP:
		s.loadImmediate(x86.RCX, in.Next()+uint64(m.Disp))
		return
	case m.Base == x86.NoReg && m.Index == x86.NoReg:
		s.loadImmediate(x86.RCX, uint64(m.Disp))
		return
	}
	rex, mod, base, index := byte(0x48), byte(0x80), byte(m.Base), byte(4)
	if m.Index != x86.NoReg {
		index = byte(m.Index)
	}
	if m.Base == x86.NoReg {
		mod, base = 0, 5 // [index*scale+disp32]
	}
	rex |= index >> 3 << 1 & 2
	rex |= base >> 3 & 1
	scale := byte(bits.TrailingZeros8(m.Scale))
	s.raw(rex, 0x8d, mod|byte(x86.RCX)<<3|4, scale<<6|index&7<<3|base&7) // lea rcx, [base+index*scale+disp]
	s.imm32(uint32(m.Disp))
}

// logSP adds rsp to the last entry, after an instruction that is no branch.
func (t *translation) logSP(p *planned) {
	if !p.logged {
		return
	}
	t.markAt(p.in.Next(), t.undone()-1, 0)
	t.hot.save(x86.RCX)
	t.markAt(p.in.Next(), t.undone()-1, 1<<x86.RCX)
	t.hot.load(x86.RCX, contextLogNext)
	t.hot.raw(0x48, 0x89, 0x61, byte(0x100+entryNext-EntrySize)) // mov [rcx-EntrySize+Next], rsp
	t.hot.restore(x86.RCX)
}

// A logFull is a jump that is taken if the log is full.
type logFull struct {
	hot    bool
	at     int    // offset of its distance
	pc     uint64 // of the instruction
	undone int
}

// exitFull adds the exits of logs that are full.
func (t *translation) exitFull() {
	for _, f := range t.full {
		s := &t.hot
		if !f.hot {
			s = &t.cold
		}
		binary.LittleEndian.PutUint32(s.code[f.at:], uint32(t.cold.address()-s.base-uint64(f.at)-4))
		t.cold.restore(x86.RCX)
		t.exit(Exit{Kind: ExitLog, Target: f.pc, Undone: f.undone})
	}
}
