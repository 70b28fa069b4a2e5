package symbols

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
	"github.com/triptych-mcp/triptych/debugger/internal/program/setcache"
)

// ErrNotFound is returned when no image has the name or line.
var ErrNotFound = errors.New("no symbol found")

// A Mapping is a line of the process's memory map.
type Mapping struct {
	Start, End uint64
	Offset     uint64
	Path       string // as /proc/PID/maps has it, "[vdso]" included
	Executable bool
}

// A File is the contents of a mapped file, as returned by Config.Open.
type File interface {
	io.ReaderAt
	io.Closer
}

// A Config says how a program's files are found. Its zero value is usable.
type Config struct {
	Log *slog.Logger // nil: nothing is logged

	// SharedLog is the logger of debug information, which other programs may use
	// too: it names no program. nil means Log.
	SharedLog *slog.Logger

	// Open opens the file behind a mapping; nil opens Mapping.Path. A
	// caller that knows the process id may open the file below /proc/PID/root,
	// for containers, or in /proc/PID/map_files, for deleted files. A Mapping that ends
	// at 0 is a file that was not mapped, such as one with debug information.
	Open func(Mapping) (File, error)

	// DebugDirs are searched for separate debug files; nil means
	// /usr/lib/debug.
	DebugDirs []string

	// FindDebug returns the path of the separate debug file of a build id that is in
	// none of DebugDirs, "" if there is none; nil asks for none.
	FindDebug func(buildID string) string

	// Account has the memory of symbols and debug information; nil does not limit it.
	Account *budget.Account

	// Sets shares debug information with other programs; nil means one cache for
	// all programs of this process.
	Sets *setcache.Cache
}

// sharedSets is the cache of programs that are given none. The .debug_info of libc
// has 4 MiB.
var sharedSets = setcache.New(30*time.Second, 16<<20)

// A Program is the images that are mapped into one process.
type Program struct {
	cfg Config

	mu     sync.RWMutex
	images []*Image // by start
	failed map[string]bool
}

// New returns a program without images.
func New(cfg Config) *Program {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.SharedLog == nil {
		cfg.SharedLog = cfg.Log
	}
	if cfg.Open == nil {
		cfg.Open = func(m Mapping) (File, error) { return os.Open(m.Path) }
	}
	if cfg.DebugDirs == nil {
		cfg.DebugDirs = elffile.DebugDirs
	}
	if cfg.Sets == nil {
		cfg.Sets = sharedSets
	}
	return &Program{cfg: cfg, failed: map[string]bool{}}
}

// Close closes the files of all images. Nothing else may be called afterwards.
func (p *Program) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, im := range p.images {
		errs = append(errs, im.close())
	}
	p.images = nil
	return errors.Join(errs...)
}

// Update takes the process's maps, in the order of addresses, opens files that
// are new and closes those that are gone. A file that cannot be read is logged
// once and left out. Images without a file, such as the vdso, are read from
// memory.
func (p *Program) Update(maps []Mapping, mem Memory) {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := map[string]*Image{}
	for _, im := range p.images {
		old[im.key()] = im
	}
	p.images = nil
	for _, g := range group(maps) {
		if im := p.imageLocked(g, old, mem); im != nil {
			p.images = append(p.images, im)
		}
	}
	for _, im := range old {
		if err := im.close(); err != nil {
			p.cfg.Log.Debug("close image", "path", im.Path, "err", err)
		}
	}
	slices.SortFunc(p.images, func(a, b *Image) int { return cmp.Compare(a.Start, b.Start) })
}

// imageLocked returns the image of a group of mappings: the old one, which it
// removes from old, or a new one.
func (p *Program) imageLocked(g Mapping, old map[string]*Image, mem Memory) *Image {
	key := keyOf(g)
	if im := old[key]; im != nil {
		delete(old, key)
		im.End = max(im.End, g.End)
		return im
	}
	if p.failed[key] {
		return nil
	}
	im, err := p.open(g, mem)
	if err != nil {
		p.failed[key] = true
		p.cfg.Log.Debug("image left out", "path", g.Path, "err", err)
		return nil
	}
	return im
}

// open opens the image of a group of mappings.
func (p *Program) open(g Mapping, mem Memory) (*Image, error) {
	if g.Path == "[vdso]" {
		data := make([]byte, min(g.End-g.Start, 1<<20))
		if err := mem.ReadMemory(g.Start, data); err != nil {
			return nil, err
		}
		return newImage(g, bytes.NewReader(data), nil, p)
	}
	f, err := p.cfg.Open(g)
	if err != nil {
		return p.fromMemory(g, mem, err)
	}
	im, err := newImage(g, f, f, p)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return im, nil
}

// fromMemory makes an image of a file that is gone from what is mapped of it:
// it has frame tables but no names.
func (p *Program) fromMemory(g Mapping, mem Memory, cause error) (*Image, error) {
	if g.Offset != 0 || mem == nil {
		return nil, cause
	}
	im, err := newImage(g, elffile.NewMemoryFile(mem, g.Start, g.End), nil, p)
	if err != nil {
		return nil, cause
	}
	im.frames, im.framesRead, im.Unread = mappedFrames(im.main, mem, im.Bias), true, cause
	return im, nil
}

// group joins the consecutive mappings of each file into one, from the lowest
// start to the highest end, with the offset of the first. A file that is also mapped
// to be read, as by a program that reads its own debug information, is one image: of
// the groups of a file, those without code are left out if another one has code.
func group(maps []Mapping) []Mapping {
	var out []Mapping
	last := uint64(0) // the offset of the last mapping
	code := map[string]bool{}
	for _, m := range maps {
		if !strings.HasPrefix(m.Path, "/") && m.Path != "[vdso]" || strings.HasPrefix(m.Path, "/dev/") {
			continue
		}
		code[m.Path] = code[m.Path] || m.Executable
		if n := len(out); n > 0 && m.Offset >= last && continues(out[n-1], m) {
			out[n-1].End, out[n-1].Executable = m.End, out[n-1].Executable || m.Executable
		} else {
			out = append(out, m)
		}
		last = m.Offset
	}
	return slices.DeleteFunc(out, func(m Mapping) bool { return code[m.Path] && !m.Executable })
}

// maxGap limits how much further apart two segments of a file are in memory than in the
// file: the linker may begin each one on a new page, of 2 MiB at most.
const maxGap = 16 << 20

// continues reports whether a mapping is of the same image as the group before it. The
// mapping of the beginning of a file begins an image.
func continues(g, m Mapping) bool {
	if g.Path != m.Path || m.Offset == 0 || m.Start < g.End {
		return false
	}
	return m.Start-g.Start <= m.Offset-g.Offset+maxGap
}

// Image returns the image that an address lies in, nil when it is in none.
func (p *Program) Image(addr uint64) *Image {
	p.mu.RLock()
	defer p.mu.RUnlock()
	i := sort.Search(len(p.images), func(i int) bool { return p.images[i].Start > addr }) - 1
	if i < 0 || addr >= p.images[i].End {
		return nil
	}
	return p.images[i]
}

// Images returns all images, by address.
func (p *Program) Images() []*Image {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return slices.Clone(p.images)
}

// Index reads all symbols and debug information, so that later questions by
// name or line do not wait for it. It blocks until it is done or ctx ends;
// what was read by then is kept.
func (p *Program) Index(ctx context.Context) error {
	for _, im := range p.Images() {
		if err := im.Index(ctx); err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
