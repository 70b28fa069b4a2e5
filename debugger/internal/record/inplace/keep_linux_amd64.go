package inplace

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/codecache"
)

// A Translation holds the translations of a Runner for the next Runner of the same process. The
// process has nothing of it meanwhile, and may run, and change, as it likes.
type Translation struct {
	shared *shared
	cache  *codecache.Cache
	code   code
	stops  map[uint64]bool
}

// Keep is Close, and returns the translation for [Adopt]. It must follow Unmap.
func (r *Runner) Keep() (*Translation, error) {
	t := &Translation{r.space.shared, r.space.cache, r.space.code, r.Watch.stops}
	r.space.shared = nil
	return t, r.Close()
}

// Close releases what this program has. Further calls do nothing.
func (t *Translation) Close() error {
	if t == nil {
		return nil
	}
	err := t.shared.close()
	t.shared.bytes = nil
	return err
}

// reuse makes a translation that of the Runner, if the process still has the code that it was
// made of, and nothing else where the cache was. It closes the Translation.
func (cs *codeSpace) reuse(t *Translation) bool {
	if t == nil {
		return false
	}
	defer func() { _ = t.Close() }()
	cs.code.pages, cs.code.variable = t.code.pages, t.code.variable
	var err error
	if !cs.code.current() {
		err = errors.New("its code has changed")
	} else {
		cs.shared, err = mapAgain(cs.runner, t.shared)
	}
	if err != nil {
		cs.code.drop()
		return false
	}
	cs.cache, cs.runner.Watch.stops = t.cache, t.stops
	cs.cache.Move(cs.config(), cs.shared.arenaCode)
	return true
}

// current reports whether the process has the code that was copied. Nothing else is known of
// it afterwards.
func (c *code) current() bool {
	c.dropMaps()
	for number, page := range c.pages {
		if now := c.read(number * pageSize); now == nil || *now != *page {
			return false
		}
	}
	for number := range c.variable {
		if m, ok := c.find(number * pageSize); !ok || !m.Execute || m.Shared {
			return false
		}
	}
	return true
}

// mapAgain maps a copy of memory into the process, at the addresses that it had there. The
// process has kept no descriptor of the old one. The caller copies the arenas.
func mapAgain(r *Runner, old *shared) (*shared, error) {
	maps, err := r.space.code.readMaps()
	if err != nil {
		return nil, err
	}
	for _, part := range old.mapped {
		for _, m := range maps {
			if m.Start < part.End && part.Start < m.End {
				return nil, fmt.Errorf("it has mapped memory at %#x", m.Start)
			}
		}
	}
	s := &shared{remote: old.remote, arenas: old.arenas}
	err = s.mapByMemfd(r, func(fd uint64) error {
		for _, part := range old.mapped {
			at, err := r.space.inject(unix.SYS_MMAP, part.Start, part.Len(), part.protection, unix.MAP_SHARED|unix.MAP_FIXED_NOREPLACE, fd, part.offset)
			if err != nil {
				return err
			}
			s.noteMapped(at, part.Len(), part.offset, part.protection)
			if at != part.Start { // an older kernel
				return fmt.Errorf("%#x is not free", part.Start)
			}
		}
		copyPages(s.targets(), old.targets())
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, unmap(s.mapped, r.space.inject), s.close())
	}
	return s, nil
}

// copyPages copies memory, but writes no pages that are zero, which then take no memory.
func copyPages(to, from []byte) {
	for n := 0; n < len(from); n += pageSize {
		if page := [pageSize]byte(from[n:]); page != [pageSize]byte{} {
			copy(to[n:], page[:])
		}
	}
}
