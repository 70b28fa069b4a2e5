package codecache

import (
	"encoding/binary"
	"errors"
	"sort"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/translate"
)

// An Arena is memory in which the process executes translations. Before it are the
// tables of targets and the context, see translate.ContextSize.
type Arena struct {
	Base uint64 // address of the code in the process
	Code []byte // the same memory in this program
}

// Layout of an arena:
//
//	stubs · scratch (hot, cold) · hot code → … · … ← end of cold code
const (
	hotOffset = translate.StubsSize + 2*translate.MaxCode
	coldShare = 2 // half of the arena is for cold code, of which there is more
	reach     = 1<<31 - 1<<28
)

// arena is an Arena in use.
type arena struct {
	Arena
	hot, cold uint64   // addresses of the next code
	blocks    []*block // by address
	once      *block
	far       map[uint64]uint64 // jumps to translations in other arenas, by those

	// Where the program continues after the last block, and the length of its code without the
	// jump there, see translate.Block.Continuation.
	next, straight uint64
	continues      bool
}

func newArena(a Arena, rules map[uint64]translate.CallRule) *arena {
	copy(a.Code, translate.Stubs(a.Base, rules))
	n := &arena{Arena: a}
	n.reset()
	return n
}

func (a *arena) reset() {
	a.hot, a.cold = a.Base+hotOffset, a.coldStart()
	a.blocks, a.once = nil, nil
	a.far = make(map[uint64]uint64)
}

// move copies the code to other memory, which the process has at the same address.
func (a *arena) move(code []byte) {
	for _, used := range [...][2]uint64{{a.Base, a.hot}, {a.coldStart(), a.cold}} {
		from, to := used[0]-a.Base, used[1]-a.Base
		copy(code[from:to], a.Code[from:to])
	}
	a.Code = code
}

func (a *arena) end() uint64 { return a.Base + uint64(len(a.Code)) }

func (a *arena) coldStart() uint64 { return a.end() - uint64(len(a.Code)/coldShare) }

// full reports whether the arena may have no space for another block.
func (a *arena) full() bool {
	return a.hot+translate.MaxCode > a.coldStart() || a.cold+translate.MaxCode > a.end()
}

// compact reports whether new blocks are compact.
func (a *arena) compact() bool { return a.hot-a.Base-hotOffset >= compactFrom }

// near reports whether code at pc, and what it accesses, can be reached from the arena
// with 32-bit distances.
func (a *arena) near(pc uint64) bool {
	return max(pc, a.end())-min(pc, a.Base) < reach
}

// arenaFor returns the arena for the translation of the code at pc: one that is near or,
// if there is no memory for that or no code, any other.
func (c *Cache) arenaFor(pc uint64) (*arena, error) {
	for _, a := range c.arenas {
		if a.near(pc) {
			return a, nil
		}
	}
	if len(c.arenas) > 0 && !c.translatable(pc) {
		return c.arenas[0], nil
	}
	memory, err := c.Arena(pc)
	switch {
	case errors.Is(err, ErrFull) && len(c.arenas) > 0:
		return c.arenas[0], nil
	case err != nil:
		return nil, err
	}
	c.arenas = append(c.arenas, newArena(memory, c.Rules))
	if len(c.arenas) == 1 {
		c.Targets.Begin(memory.Base)
	}
	return c.arenas[len(c.arenas)-1], nil
}

// translatable reports whether there is code at pc that can be translated.
func (c *Cache) translatable(pc uint64) bool {
	b := make([]byte, 1)
	return c.Fetch(pc, b) > 0 || c.Variable != nil && c.Variable(pc, b) > 0
}

// scratch returns the request for a block in the space for blocks that are used once.
func (a *arena) scratch(pc uint64, limit int, config *Config) translate.Request {
	hot := a.Base + translate.StubsSize
	return translate.Request{
		PC: pc, Fetch: config.Fetch, Variable: config.Variable, Limit: limit, Once: true,
		Hot: hot, Cold: hot + translate.MaxCode, Stubs: a.Base, FirstExit: onceExits, Buffered: config.Rules != nil,
		Log: config.Log, LogMemory: config.LogMemory,
	}
}

// write copies code to its address.
func (a *arena) write(address uint64, code []byte) { copy(a.Code[address-a.Base:], code) }

// follow moves the place of the next block to the end of the last one, over its jump,
// if the last one continues at pc.
func (a *arena) follow(pc uint64) {
	if len(a.blocks) == 0 {
		return
	}
	last := a.blocks[len(a.blocks)-1]
	if a.continues && a.next == pc {
		last.size = a.straight
		a.hot = last.address + a.straight
	}
}

// translate translates a block, with its code at the ends of the hot and the cold code.
func (a *arena) translate(b *block, r translate.Request) {
	b.address = a.hot
	r.Hot, r.Cold, r.Stubs = a.hot, a.cold, a.Base
	r.HotRoom, r.ColdRoom = a.room(a.hot), a.room(a.cold)
	b.Block = translate.Translate(r)
	b.size = uint64(len(b.Hot))
	next, length, ok := b.Continuation(a.hot)
	a.next, a.straight, a.continues = next, uint64(length), ok
	a.hot += b.size
	a.cold += uint64(len(b.Cold))
	b.Hot, b.Cold = nil, nil // the arena has them
	a.blocks = append(a.blocks, b)
}

// room returns the memory for the code of a block at an address.
func (a *arena) room(address uint64) []byte { return a.Code[address-a.Base:][:translate.MaxCode] }

// link makes a branch lead to a translation.
func (a *arena) link(address, to uint64) {
	if max(to, a.end())-min(to, a.Base) >= 1<<31 {
		to = a.farJump(to)
	}
	binary.LittleEndian.PutUint32(a.Code[address-a.Base:], uint32(to-address-4))
}

// farJump returns the address of a jump to another arena.
func (a *arena) farJump(to uint64) uint64 {
	if at, ok := a.far[to]; ok {
		return at
	}
	at := a.cold
	a.far[to] = at
	code := binary.LittleEndian.AppendUint64([]byte{0xff, 0x25, 0, 0, 0, 0}, to) // jmp [rip+0]
	a.write(at, code)
	a.cold += uint64(len(code))
	return at
}

// A Position is a place in the program's code that corresponds to one in the cache.
type Position struct {
	PC     uint64
	Undone int    // counted instructions that were not executed, or negative, see translate.Position
	Saved  uint16 // set of general registers whose values are in the context
	// Start reports whether the address is the start of a block, where nothing has
	// been done but jumps that take no code, and Begun whether it belongs to an
	// instruction of the program: Undone and Saved are valid. Other code counts.
	Start, Begun bool
}

// Position returns the place that corresponds to an address in the cache. It returns
// false for addresses that are not in the hot code.
func (c *Cache) Position(address uint64) (Position, bool) {
	if a := c.arenaAt(address); a != nil {
		return a.position(address)
	}
	return Position{}, false
}

// Contains reports whether an address is in an arena.
func (c *Cache) Contains(address uint64) bool { return c.arenaAt(address) != nil }

// CountsInRCX reports whether the register rcx of a thread that is stopped at an address
// has the number of instructions that are left, see translate.CountsInRCX.
func (c *Cache) CountsInRCX(address uint64) bool {
	a := c.arenaAt(address)
	return a != nil && translate.CountsInRCX(a.Code[address-a.Base:], address, a.Base)
}

// A BufferPart is a part of the code that makes system calls without a stop.
type BufferPart uint8

// The parts.
const (
	NoBuffer BufferPart = iota // any other code
	Checked                    // before the system call, and behind the check whether to make it
	Making                     // behind the system call
	Loading                    // an instruction that reads a futex
	Passing                    // an instruction that passes the turn to another thread
)

var bufferPlaces = translate.FindBufferPlaces()

// BufferPart returns the part that an address belongs to, and where the thread is to
// continue instead: if it is Checked, at the check, if it is Loading, where the system call is
// refused, and if it is Passing, before that.
func (c *Cache) BufferPart(address uint64) (part BufferPart, instead uint64) {
	a := c.arenaAt(address)
	if a == nil {
		return NoBuffer, 0
	}
	switch offset := address - a.Base; {
	case offset == bufferPlaces.Made:
		return Making, 0
	case offset > bufferPlaces.Checks && offset <= bufferPlaces.Makes:
		return Checked, a.Base + bufferPlaces.Checks
	case offset == bufferPlaces.Loads:
		return Loading, a.Base + bufferPlaces.Refuses
	case offset == bufferPlaces.Passes:
		return Passing, a.Base + bufferPlaces.Waits
	}
	return NoBuffer, 0
}

// Sleeps returns the address where a thread waits for the turn, see translate.Waiter.
func (c *Cache) Sleeps() (uint64, bool) {
	if len(c.arenas) == 0 {
		return 0, false
	}
	return c.arenas[0].Base + bufferPlaces.Sleeps, true
}

// Word returns the word at an address in an arena, or 0.
func (c *Cache) Word(address uint64) uint64 {
	const size = 8
	if a := c.arenaAt(address); a != nil && a.end()-address >= size {
		return binary.LittleEndian.Uint64(a.Code[address-a.Base:])
	}
	return 0
}

// arenaAt returns the arena with an address, or nil.
func (c *Cache) arenaAt(address uint64) *arena {
	for _, a := range c.arenas {
		if address-a.Base < uint64(len(a.Code)) {
			return a
		}
	}
	return nil
}

func (a *arena) position(address uint64) (Position, bool) {
	if b := a.once; b != nil && address-b.address < b.size {
		return b.position(address), true
	}
	n := sort.Search(len(a.blocks), func(n int) bool { return a.blocks[n].address > address }) - 1
	if n < 0 || address-a.blocks[n].address >= a.blocks[n].size {
		return Position{}, false
	}
	return a.blocks[n].position(address), true
}

func (b *block) position(address uint64) Position {
	offset := uint32(address - b.address)
	n := sort.Search(len(b.Positions), func(n int) bool { return b.Positions[n].Offset > offset }) - 1
	if n < 0 {
		return Position{PC: b.PC, Start: offset == 0}
	}
	p := b.Positions[n]
	return Position{PC: p.PC, Undone: int(p.Undone), Saved: p.Saved, Start: offset == 0, Begun: !p.Counting}
}
