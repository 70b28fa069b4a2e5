package symbols

import (
	"cmp"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/internal/program/cfi"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfread"
	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
)

// A Site describes one address of the code: its function, its lines and what
// was inlined there. Sites do not change, so they are cached.
type Site struct {
	Early    bool                  // made before all debug information was read; without variables
	Name     string                // of the function, not of what was inlined into it
	Start    uint64                // of the function, in the process's addresses
	Function *dwarfread.Subprogram // nil without debug information, and when only Go's table was read
	Call     *dwarfread.CallSite   // the call whose last byte or jump is here; nil when there is none
	Row      *cfi.Row              // of Go's functions; nil for others
	Levels   []dwarfread.Level     // innermost first; at least one
}

// maxSites bounds the cache, which is emptied when it is full.
const maxSites = 1 << 16

// siteCache caches sites by address.
type siteCache struct {
	mu sync.RWMutex
	m  map[uint64]*Site
}

// Site describes an address of the process.
func (im *Image) Site(pc uint64) *Site {
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
	c.put(pc, s)
	return s
}

func (c *siteCache) put(pc uint64, s *Site) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil || len(c.m) >= maxSites {
		c.m = map[uint64]*Site{}
	}
	c.m[pc] = s
}

// WholeSite is like Site but reads all debug information first, so that the
// types of variables are known, which other units may describe.
func (im *Image) WholeSite(pc uint64) *Site {
	s := im.Site(pc)
	if s.Early {
		s = im.resolve(pc)
		im.sites.put(pc, s)
	}
	return s
}

// Language returns the language of the function, Unknown without debug
// information.
func (s *Site) Language() lang.Lang {
	switch {
	case s.Function != nil:
		return s.Function.Unit.Lang
	case s.Early:
		return lang.Go
	}
	return 0
}

// resolveEarly is like resolve but reads no more than one unit of debug
// information. It returns nil when all must be read.
func (im *Image) resolveEarly(pc uint64) *Site {
	d := im.earlyDebug(pc - im.Bias)
	if d == nil {
		return im.resolveGo(pc)
	}
	s := &Site{Early: true}
	if err := s.describe(d, im, pc-im.Bias); err != nil || s.Function == nil {
		return nil
	}
	return s
}

// resolve describes an address from debug information where there is some,
// else from the ELF symbols, and in Go from the runtime's table.
func (im *Image) resolve(pc uint64) *Site {
	s := &Site{}
	if d := im.DebugInfo(); d != nil {
		// A damaged unit leaves the site as it was: the symbols still help.
		_ = s.describe(d, im, pc-im.Bias)
	}
	if s.Function == nil {
		if sym, ok := im.symbols().At(pc-im.Bias, true); ok {
			s.Name, s.Start = elffile.Demangle(sym.Name), sym.Addr+im.Bias
		}
	}
	if table := im.goSite(pc); table != nil {
		s.join(table)
	}
	if len(s.Levels) == 0 {
		s.Levels = []dwarfread.Level{{}}
	}
	outer := &s.Levels[len(s.Levels)-1]
	outer.Name = cmp.Or(outer.Name, s.Name)
	return s
}

// describe sets the fields that debug information has for an address of the
// file.
func (s *Site) describe(d *dwarfread.Info, im *Image, pc uint64) error {
	return d.Do(func() (err error) {
		s.Function, s.Levels, err = d.LevelsLocked(pc)
		if s.Function != nil {
			s.Name, s.Start = s.Function.Name, s.Function.Start()+im.Bias
			s.Call = s.Function.CallAtLocked(pc)
		}
		return err
	})
}

// A Function names the code at an address.
type Function struct {
	Name   string // qualified, without parameters; empty when not known
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
	s := im.Site(addr)
	f := Function{Name: s.Name, Start: s.Start}
	if s.Name != "" {
		f.Offset = int64(addr - s.Start)
	}
	for _, l := range s.Levels {
		if l.Inlined {
			f.Inlined = append(f.Inlined, l.Name)
		}
	}
	return f, f.Name != ""
}

// Variable returns the name of the global or static variable at an address and
// the offset from its start; false when there is none.
func (p *Program) Variable(addr uint64) (name string, offset uint64, ok bool) {
	im := p.Image(addr)
	if im == nil {
		return "", 0, false
	}
	sym, ok := im.symbols().At(addr-im.Bias, false)
	if !ok {
		return "", 0, false
	}
	return elffile.Demangle(sym.Name), addr - im.Bias - sym.Addr, true
}

// Line returns the source line of an address; false when it is not known.
func (p *Program) Line(addr uint64) (file string, line int, ok bool) {
	im := p.Image(addr)
	if im == nil {
		return "", 0, false
	}
	l := im.Site(addr).Levels[0]
	return l.File, l.Line, l.File != ""
}

// IsCalled reports whether a name, the linker's or the program's, is that of the
// function.
func (s *Site) IsCalled(name string) bool {
	if name == "" {
		return false
	}
	f := s.Function
	return name == s.Name || f != nil && (name == f.Name || name == f.LinkageName)
}
