package codecache

import (
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/translate"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A Config says what a Cache works on.
type Config struct {
	// Fetch and Variable are passed to translate.Translate.
	Fetch, Variable translate.Fetcher
	// Arena returns new memory for translations, near the address if possible. The
	// error is ErrFull if there is no more.
	Arena   func(near uint64) (Arena, error)
	Targets translate.Targets
	Stops   func(pc uint64) bool // see translate.Request; the answer must not change before Clear
	// Rules, unless nil, name the system calls that the process makes without a
	// stop, see translate.Request.Buffered. They must be set before the first translation.
	Rules map[uint64]translate.CallRule
	// Loop reports whether the processor executes the instruction loop as fast as other jumps, see
	// translate.Arrival.
	Loop bool
	// Log and LogMemory are passed to translate.Translate. They must not change before Clear.
	Log       func(in *x86.Inst) (jumps, always bool)
	LogMemory func(in *x86.Inst) bool
	// Missed, unless nil, is called when the process needs a translation that is not there, before that is
	// made. It may call [Cache.Prepare]. If it returns true, less is translated ahead of the program.
	Missed func(pc uint64, indirect bool) bool
	// InPlace is passed to translate.Translate, but not for EnterOnce. It must not change before Clear.
	InPlace func(in *x86.Inst) bool
}

// A Cache holds translations.
type Cache struct {
	Config
	arenas    []*arena
	places    map[uint64]*place
	exits     [][]translate.Exit // by number, in parts of exitsPart
	once      []translate.Exit   // of the block of EnterOnce, by number from onceExits on
	exitCount int
	dead      map[uint64]uint64 // see translate.Request
	targets   int
	spare     []place // memory for places
}

// A block is a translation in its place.
type block struct {
	translate.Block
	address uint64 // of the hot code
	size    uint64 // of the hot code
	arrival uint64 // of the code where indirect jumps to it arrive, or 0
	target  bool   // it is in Targets
}

// ErrFull reports that no more can be translated until [Cache.Clear].
var ErrFull = errors.New("the code cache is full")

// New returns an empty cache. The targets must be zero: to clear them all would take memory.
func New(c Config) *Cache {
	cache := &Cache{Config: c}
	cache.reset()
	return cache
}

// Clear forgets all translations. The process must not continue in one.
func (c *Cache) Clear() {
	if len(c.arenas) > 0 {
		c.Targets.Clear(c.arenas[0].Base)
	}
	c.reset()
}

// Move replaces what the cache works on. The targets are the same. Arenas are copied to the
// memory that code returns for their numbers, in the order in which they were made, and are at
// the same addresses in the process.
func (c *Cache) Move(config Config, code func(n int) []byte) {
	c.Config = config
	for n, a := range c.arenas {
		a.move(code(n))
	}
}

func (c *Cache) reset() {
	c.places = make(map[uint64]*place)
	c.exits, c.exitCount = nil, 0
	c.dead = make(map[uint64]uint64)
	c.targets = 0
	for _, a := range c.arenas {
		a.reset()
	}
}

// Enter returns the address of the translation of the code at pc. The error is
// [ErrFull], or one of Arena.
func (c *Cache) Enter(pc uint64) (uint64, error) { return c.enter(c.place(pc), false) }

func (c *Cache) enter(p *place, indirect bool) (uint64, error) {
	few := p.block == nil && c.Missed != nil && c.Missed(p.pc, indirect)
	if p.block == nil {
		if err := c.translate(p, few); err != nil {
			return 0, err
		}
	}
	return p.block.address, nil
}

// EnterIndirect is Enter for the target of an indirect branch, which is found without
// an exit from now on.
func (c *Cache) EnterIndirect(pc uint64) (uint64, error) {
	p := c.place(pc)
	p.expected = p.block == nil
	if _, err := c.enter(p, true); err != nil {
		return 0, err
	}
	b := p.block
	if err := c.addTarget(b); err != nil {
		return 0, err
	}
	c.Targets.Put(pc, b.address, b.arrival)
	return b.address, nil
}

// EnterOnce returns the address of a translation of at most limit instructions at pc.
// It is valid until the next call of EnterOnce, and all branches that end it are
// exits. It does not check how many instructions are left, nor stop at pc itself.
func (c *Cache) EnterOnce(pc uint64, limit int) (uint64, error) {
	a, err := c.arenaFor(pc)
	if err != nil {
		return 0, err
	}
	return c.enterOnce(a, a.scratch(pc, limit, &c.Config)), nil
}

// EnterCopy is EnterOnce for one instruction that is translate.Copyable.
func (c *Cache) EnterCopy(pc uint64) (uint64, error) {
	a, err := c.arenaFor(pc)
	if err != nil {
		return 0, err
	}
	r := a.scratch(pc, 1, &c.Config)
	r.Copy = true
	return c.enterOnce(a, r), nil
}

func (c *Cache) enterOnce(a *arena, r translate.Request) uint64 {
	r.Stops, r.Passes = c.Stops, true
	r.HotRoom, r.ColdRoom = a.room(r.Hot), a.room(r.Cold)
	b := &block{Block: translate.Translate(r), address: r.Hot}
	b.size = uint64(len(b.Hot))
	a.once = b
	c.once = b.Exits
	return b.address
}

// Changed forgets the translation at pc, which is left by an exit of kind
// translate.ExitChanged. Jumps to it lead to the next translation at pc.
func (c *Cache) Changed(pc uint64) {
	p := c.place(pc)
	b := p.block
	if b == nil {
		return
	}
	p.block = nil
	for _, e := range b.Exits {
		if e.Kind == translate.ExitChanged {
			a := c.arenaAt(b.address)
			a.write(b.address, []byte{0xe9}) // jmp
			a.link(b.address+1, e.Link)
			p.waiting = append(p.waiting, link{a, b.address + 1})
		}
	}
}

// onceExits is the number of the first exit of the block of EnterOnce.
const onceExits = 1 << 31

// The number of blocks that Enter translates at most.
const (
	ahead        = 16
	aheadCompact = 8 // when the cache is compact
	aheadKnown   = 4 // of code whose entries are known, most of which are prepared
)

// compactFrom is the number of bytes of code in an arena from which its new blocks are
// compact: the caches of the processor hold no more than that. Larger blocks need less
// counting, but contain the same code several times.
const compactFrom = 2 << 20

// compact reports whether new blocks at an address are compact.
func (c *Cache) compact(pc uint64) bool {
	a, err := c.arenaFor(pc)
	return err == nil && a.compact()
}

// translate translates a block and those that it leads to. Next is the block in which the last one
// continues, so that no jump is needed between them, and otherwise one to which the fewest branches
// lead from the first.
func (c *Cache) translate(first *place, few bool) error {
	open, most := []*place{first}, ahead
	switch {
	case few:
		most = aheadKnown
	case c.compact(first.pc):
		most = aheadCompact
	}
	for n := 0; len(open) > 0 && n < most; {
		next := open[0]
		open = open[1:]
		for ; next.block == nil && n < most; n++ {
			a, err := c.add(next)
			switch {
			case err != nil && next != first:
				return nil // the one that is needed is there
			case err != nil:
				return err
			}
			open = c.connect(a, next, open)
			if last := len(open) - 1; last >= 0 && a.continues && a.next == open[last].pc {
				next, open = open[last], open[:last]
			}
		}
	}
	return nil
}

// add translates one block, and returns its arena.
func (c *Cache) add(p *place) (*arena, error) {
	a, err := c.arenaFor(p.pc)
	if err != nil {
		return nil, err
	}
	if a.full() {
		return nil, ErrFull
	}
	b := new(block)
	if p.expected {
		b.arrival = a.arriveNext(p.pc, c.Loop)
	} else {
		a.follow(p.pc)
	}
	a.translate(b, translate.Request{
		PC: p.pc, Fetch: c.Fetch, Variable: c.Variable, FirstExit: uint32(c.exitCount),
		Dead: c.dead, Stops: c.Stops, Compact: a.compact(), Buffered: c.Rules != nil,
		Log: c.Log, LogMemory: c.LogMemory, InPlace: c.InPlace,
	})
	p.block = b
	c.addExits(&b.Block)
	return a, nil
}

// exitsPart is the number of exits that are stored together.
const exitsPart = 1 << 12

// addExits stores the exits of a new block.
func (c *Cache) addExits(b *translate.Block) {
	for _, e := range b.Exits {
		if c.exitCount%exitsPart == 0 {
			c.exits = append(c.exits, make([]translate.Exit, 0, exitsPart))
		}
		last := &c.exits[len(c.exits)-1]
		*last = append(*last, e)
		c.exitCount++
	}
}

// connect connects a new block with those that are there, and appends the places to which it
// leads and that have no translation, the one in which it continues last. A jump that the block
// has overwritten is no longer waiting.
func (c *Cache) connect(a *arena, p *place, open []*place) []*place {
	for _, l := range p.waiting {
		if l.address-p.block.address >= p.block.size {
			l.arena.link(l.address, p.block.address)
		}
	}
	p.waiting = nil
	open = c.expect(p, open)
	for _, e := range p.block.Exits {
		if e.Kind != translate.ExitBranch {
			continue
		}
		l, to := link{a, e.Link}, c.place(e.Target)
		if to.block != nil {
			a.link(l.address, to.block.address)
			continue
		}
		to.waiting = append(to.waiting, l)
		if !e.Rare {
			open = append(open, to)
		}
	}
	return open
}

// An Exit says where and why the process has left the cache.
type Exit struct {
	Kind    translate.ExitKind
	Target  uint64
	Undone  int   // counted instructions that were not executed
	Counter uint8 // see translate.Exit
	Popped  uint32
}

// Exit returns what an exit means, by its number in the context.
func (c *Cache) Exit(number uint32) (Exit, error) {
	part, at := c.once, int(number)-onceExits
	if number < onceExits {
		at = int(number) % exitsPart
		if part = nil; int(number) < c.exitCount {
			part = c.exits[number/exitsPart]
		}
	}
	if at >= len(part) {
		return Exit{}, fmt.Errorf("exit %d from the code cache, which has %d", number, c.exitCount)
	}
	e := part[at]
	return Exit{Kind: e.Kind, Target: e.Target, Undone: e.Undone, Counter: e.Counter, Popped: e.Popped}, nil
}
