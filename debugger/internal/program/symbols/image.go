package symbols

import (
	"context"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/program/cfi"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfread"
	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
	"github.com/triptych-mcp/triptych/debugger/internal/program/pcln"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// An Image is one ELF file mapped into the process.
type Image struct {
	Path       string
	BuildID    string // in hexadecimal, empty when the file has none
	Start, End uint64 // of its mappings, with the zeroed data behind those of the file
	Bias       uint64 // address of the process minus address of the file
	Unread     error  // why its file could not be read, so that its names are not known

	Program *Program
	cfg     Config
	account *budget.Account // of what is read for this image alone
	offset  uint64
	main    *elffile.File

	mu            sync.Mutex
	closed        bool
	split         *elffile.File // the separate debug file; nil when there is none
	splitSearched bool          // split is set
	table         *elffile.SymbolTable
	frames        []*cfi.Table
	framesRead    bool

	// infoMu is taken before mu. mu is not held while debug information is
	// read, so that stacks need not wait for it.
	infoMu    sync.Mutex
	typed     *types.Set
	release   func()      // of the set to the cache; guarded by mu
	opened    atomic.Bool // typed is set
	early     *dwarfread.Early
	earlyDone bool // early is set

	sites siteCache

	pclnOnce sync.Once
	pcln     *pcln.Table

	goOnce sync.Once
	goAt   GoRuntime
	goOK   bool
}

// newImage reads the header of a file that is mapped. The closer may be nil.
func newImage(g Mapping, r io.ReaderAt, c io.Closer, p *Program) (*Image, error) {
	o, err := elffile.Open(r, c)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", g.Path, err)
	}
	im := &Image{Path: g.Path, Start: g.Start, End: g.End, offset: g.Offset, Program: p, cfg: p.cfg, account: p.cfg.Account.Another(), main: o}
	im.BuildID = hex.EncodeToString(o.BuildID())
	im.Bias, err = o.Bias(g.Start, g.Offset)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", g.Path, err)
	}
	if end := im.Bias + o.End(); end-im.Start < maxImage { // or the file is damaged
		im.End = max(im.End, end)
	}
	return im, nil
}

// maxImage bounds how far an image reaches behind its mappings.
const maxImage = 1 << 40

func keyOf(g Mapping) string { return fmt.Sprintf("%x+%x %s", g.Start, g.Offset, g.Path) }

func (im *Image) key() string {
	return keyOf(Mapping{Start: im.Start, Offset: im.offset, Path: im.Path})
}

func (im *Image) close() error {
	im.mu.Lock()
	defer im.mu.Unlock()
	im.closed = true
	if im.release != nil {
		im.release()
	}
	im.account.Close()
	return errors.Join(im.main.Close(), im.split.Close())
}

// debugFileLocked returns the file with the debug information: the image's own
// or a separate one. Either may have none.
func (im *Image) debugFileLocked() *elffile.File {
	if !im.splitSearched && !im.closed {
		im.splitSearched = true
		if im.main.Section(".debug_info", ".zdebug_info") == nil {
			im.split = im.main.FindDebugFile(im.Path, im.cfg.DebugDirs, im.openFile)
			if im.split == nil && im.cfg.FindDebug != nil && im.BuildID != "" && im.Path != "[vdso]" {
				im.split = elffile.OpenPath(im.cfg.FindDebug(im.BuildID))
			}
		}
	}
	if im.split != nil {
		return im.split
	}
	return im.main
}

// openFile opens a file that goes with the image, where the process has it, or else where
// this program has it. It is nil when it cannot be read.
func (im *Image) openFile(path string) *elffile.File {
	f, err := im.cfg.Open(Mapping{Path: path})
	if err != nil {
		return elffile.OpenPath(path)
	}
	o, err := elffile.Open(f, f)
	if err != nil {
		_ = f.Close() // it was only read
		return nil
	}
	return o
}

// DebugInfo returns the debug information, nil when there is none.
func (im *Image) DebugInfo() *dwarfread.Info {
	if types := im.Types(); types != nil {
		return types.Info
	}
	return nil
}

// Types returns the types that the debug information describes, nil when there is
// none.
func (im *Image) Types() *types.Set {
	im.infoMu.Lock()
	defer im.infoMu.Unlock()
	if im.opened.Load() {
		return im.typed
	}
	o := im.retainDebugFile()
	if o == nil {
		return nil
	}
	typed, release := im.cfg.Sets.Acquire(o, im.cfg.Account, im.Program, func(account *budget.Account) *types.Set { return im.readTypes(o, account) })
	im.typed = typed
	im.opened.Store(true)
	im.releaseAtEnd(release)
	_ = o.Close() // it was only read
	return im.typed
}

// readTypes opens the debug information of a file, whose memory an account has; it returns nil
// when there is none.
func (im *Image) readTypes(o *elffile.File, account *budget.Account) *types.Set {
	info, err := dwarfread.Open(o.Within(account), dwarfread.Files{Path: im.Path, Open: im.openFile}, im.cfg.SharedLog.With("path", im.Path))
	if full, ok := errors.AsType[*budget.Error](err); ok {
		im.cfg.SharedLog.Warn("debug information is not read", "path", im.Path, "err", full)
	}
	if err != nil {
		im.cfg.Log.Debug("no debug information", "path", im.Path, "err", err)
		return nil
	}
	return types.NewSet(info)
}

// releaseAtEnd calls release when the image is closed, or now if it is.
func (im *Image) releaseAtEnd(release func()) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.release = release; im.closed {
		release()
	}
}

// retainDebugFile returns the file of debugFileLocked, which the caller must close,
// or nil when the image is closed.
func (im *Image) retainDebugFile() *elffile.File {
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.closed {
		return nil
	}
	return im.debugFileLocked().Retain()
}

// hasDebugInfo reports whether the image is open and its file or the separate one has
// debug information.
func (im *Image) hasDebugInfo() bool {
	im.mu.Lock()
	defer im.mu.Unlock()
	return !im.closed && im.debugFileLocked().Section(".debug_info", ".zdebug_info") != nil
}

// earlyDebug returns the debug information of the unit at an address of the
// file alone. It is nil when all units have been read or must be.
func (im *Image) earlyDebug(pc uint64) *dwarfread.Info {
	if im.opened.Load() {
		return nil
	}
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.closed {
		return nil
	}
	if !im.earlyDone {
		im.earlyDone = true
		im.early = dwarfread.OpenEarly(im.debugFileLocked().Within(im.account), im.cfg.Log.With("path", im.Path))
	}
	if im.early == nil {
		return nil
	}
	return im.early.At(pc)
}

// symbols returns the table of ELF symbols.
func (im *Image) symbols() *elffile.SymbolTable {
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.table == nil && !im.closed {
		im.table = elffile.ReadSymbols(im.account, im.main, im.debugFileLocked())
	}
	if im.table == nil {
		return &elffile.SymbolTable{}
	}
	return im.table
}

// frameTables returns the call frame information, that of .eh_frame first.
func (im *Image) frameTables() []*cfi.Table {
	im.mu.Lock()
	defer im.mu.Unlock()
	if !im.framesRead && !im.closed {
		im.framesRead = true
		im.frames = frameTables(im.main.Within(im.account))
		if debug := im.main.Section(".debug_frame", ".zdebug_frame"); debug == nil {
			im.frames = append(im.frames, debugFrame(im.debugFileLocked().Within(im.account))...)
		}
	}
	return im.frames
}

// UnwindRow returns the unwind rules at an address of the process.
func (im *Image) UnwindRow(pc uint64) (*cfi.Row, error) {
	err := cfi.ErrNotCovered
	for _, t := range im.frameTables() {
		var row *cfi.Row
		if row, err = t.Row(pc - im.Bias); err == nil {
			return row, nil
		}
	}
	return nil, err
}

// Index reads all of the image's symbols and units.
func (im *Image) Index(ctx context.Context) error {
	im.symbols()
	d := im.DebugInfo()
	if d == nil {
		return ctx.Err()
	}
	return d.LoadAll(ctx)
}

// static reports whether the file is loaded at the addresses it was linked
// for.
func (im *Image) static() bool { return im.main.ELF.Type == elf.ET_EXEC }
