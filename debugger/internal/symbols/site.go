package symbols

import (
	"cmp"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols/cfi"
)

// A site is what is known about one address of the code. It does not change, so
// it is kept.
type site struct {
	early  bool      // it was made before all debug information was read
	name   string    // of the function, not of what was inlined into it
	start  uint64    // of the function, in the process's addresses
	fn     *function // nil without debug information, and when Go's runtime has told all of it early
	row    *cfi.Row  // of Go's functions; nil for others
	levels []level   // innermost first; at least one
}

// maxSites bounds the cache: it starts afresh when it is full.
const maxSites = 1 << 16

// siteCache remembers sites by address.
type siteCache struct {
	mu sync.RWMutex
	m  map[uint64]*site
}

// site returns what is known about an address of the process.
func (im *Image) site(pc uint64) *site {
	c := &im.sites
	c.mu.RLock()
	s := c.m[pc]
	c.mu.RUnlock()
	if s != nil {
		return s
	}
	if s = im.resolveEarly(pc); s == nil {
		s = im.resolve(pc)
	}
	c.keep(pc, s)
	return s
}

func (c *siteCache) keep(pc uint64, s *site) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil || len(c.m) >= maxSites {
		c.m = map[uint64]*site{}
	}
	c.m[pc] = s
}

// wholeSite is site where types count too: other units may describe them.
func (im *Image) wholeSite(pc uint64) *site {
	s := im.site(pc)
	if s.early {
		s = im.resolve(pc)
		im.sites.keep(pc, s)
	}
	return s
}

// language is that of the function, 0 without debug information.
func (s *site) language() Lang {
	switch {
	case s.fn != nil:
		return s.fn.unit.lang
	case s.early:
		return Go
	}
	return 0
}

// resolveEarly is resolve while there is no need to read all debug information,
// nil otherwise.
func (im *Image) resolveEarly(pc uint64) *site {
	d := im.earlyDebug(pc - im.Bias)
	if d == nil {
		return im.resolveGo(pc)
	}
	s := &site{early: true}
	if err := s.describe(d, im, pc-im.Bias); err != nil || s.fn == nil {
		return nil
	}
	return s
}

// resolve finds out about an address: by debug information where there is some,
// else by the ELF symbols, and in Go by the runtime's table.
func (im *Image) resolve(pc uint64) *site {
	s := &site{}
	if d := im.debug(); d != nil {
		// A damaged unit leaves the site as it was: the symbols still help.
		_ = s.describe(d, im, pc-im.Bias)
	}
	if s.fn == nil {
		if sym, ok := im.symbols().at(pc-im.Bias, true); ok {
			s.name, s.start = readable(sym.name), sym.addr+im.Bias
		}
	}
	if table := im.goSite(pc); table != nil {
		s.join(table)
	}
	if len(s.levels) == 0 {
		s.levels = []level{{}}
	}
	outer := &s.levels[len(s.levels)-1]
	outer.name = cmp.Or(outer.name, s.name)
	return s
}

// describe fills in what the debug information has about an address of the file.
func (s *site) describe(d *debugInfo, im *Image, pc uint64) error {
	return d.do(func() (err error) {
		s.fn, s.levels, err = d.levelsLocked(pc)
		if s.fn != nil {
			s.name, s.start = s.fn.name, s.fn.start()+im.Bias
		}
		return err
	})
}

// A Function names the code at an address.
type Function struct {
	Name   string // qualified, without parameters; empty when nobody knows
	Start  uint64 // first instruction; 0 when Name is empty
	Offset int64  // of the address from Start; cold parts may lie before it

	// Inlined are the functions that were inlined there, innermost first.
	Inlined []string
}

// Function names the code at an address; false when nothing is known.
func (p *Program) Function(addr uint64) (Function, bool) {
	im := p.Image(addr)
	if im == nil {
		return Function{}, false
	}
	s := im.site(addr)
	f := Function{Name: s.name, Start: s.start}
	if s.name != "" {
		f.Offset = int64(addr - s.start)
	}
	for _, l := range s.levels {
		if l.inlined {
			f.Inlined = append(f.Inlined, l.name)
		}
	}
	return f, f.Name != ""
}

// Variable names the global or static variable at an address of a file's data,
// and tells how far from its beginning; false when there is none.
func (p *Program) Variable(addr uint64) (name string, offset uint64, ok bool) {
	im := p.Image(addr)
	if im == nil {
		return "", 0, false
	}
	sym, ok := im.symbols().at(addr-im.Bias, false)
	if !ok {
		return "", 0, false
	}
	return readable(sym.name), addr - im.Bias - sym.addr, true
}

// Line returns the source line of an address; false when nobody knows.
func (p *Program) Line(addr uint64) (file string, line int, ok bool) {
	im := p.Image(addr)
	if im == nil {
		return "", 0, false
	}
	l := im.site(addr).levels[0]
	return l.file, l.line, l.file != ""
}
