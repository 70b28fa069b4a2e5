package recording

import (
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/spool"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// The parts in a file have two thirds of it when a stretch begins, and the stretch has the last
// third, so that the file need not have more than its limit.

// mostOfPart returns how many bytes a part may have.
func (p *Past) mostOfPart() int {
	if p.place.File > 0 {
		return p.place.File / 3
	}
	return p.memory() / 2
}

// memory returns how many bytes the parts may have in memory. The rest is for steps after
// them.
func (p *Past) memory() int { return p.place.Memory / 4 * 3 }

// newStore returns the store of a new part, in the file if there is to be one.
func (p *Past) newStore() (*recfile.Store, error) {
	if p.place.File == 0 {
		return recfile.NewStore(nil), nil
	}
	if p.file == nil {
		file, err := spool.Create(p.place.Folder, int64(p.place.File))
		if err != nil {
			return nil, fmt.Errorf("the file of the history cannot be created: %w", err)
		}
		p.file = file
	}
	return recfile.NewStore(p.file.NewExtent()), nil
}

// releaseUnused drops what a stretch has written unless it is a part, and closes the file if
// there are no parts.
func (p *Past) releaseUnused(s *stretch) {
	used := func(part history.Part) bool {
		c, ok := part.(*Part)
		return ok && c.store == s.store
	}
	if s.store != nil && !slices.ContainsFunc(p.Parts, used) {
		s.store.Release()
	}
	if len(p.Parts) == 0 {
		_ = p.closeFile() // it has nothing that is needed
	}
}

func (p *Past) closeFile() error {
	file := p.file
	if p.file = nil; file == nil {
		return nil
	}
	return file.Close()
}

// Filed returns how many bytes are in the file.
func (p *Past) Filed() int64 {
	if p.file == nil {
		return 0
	}
	return p.file.Bytes()
}

// overflow returns why the oldest part must be dropped, or "".
func (p *Past) overflow() string {
	switch {
	case p.Bytes() > p.memory():
		return history.MadeRoom(p.place.Memory)
	case p.Filed() > int64(p.place.File/3*2):
		return history.MadeRoomInFile(p.place.File)
	}
	return ""
}
