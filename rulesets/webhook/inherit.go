package webhook

import (
	"context"
	"os"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Inherit returns a record that begins with what a file holds, if it has not begun: after an
// installation has moved from files to a server, its URL is told of what changed meanwhile.
// The file is renamed then, so that the record of another URL does not begin with it.
func Inherit(record Record, from *File) Record { return &heir{record, from} }

type heir struct {
	Record
	from *File
}

// Known implements [Record].
func (h *heir) Known(ctx context.Context) (map[ruleset.Name]int, error) {
	known, err := h.Record.Known(ctx)
	if known != nil || err != nil {
		return known, err
	}
	known, err = h.from.Known(ctx)
	if known == nil || err != nil {
		return nil, err
	}
	if signer := h.from.state.Signer; signer != "" {
		if _, err := h.Record.Signer(ctx, signer); err != nil {
			return nil, err
		}
	}
	if err := h.Record.Begin(ctx, known); err != nil {
		return nil, err
	}
	_ = os.Rename(h.from.name, h.from.name+".moved") // else the record of another URL may begin with it
	return known, nil
}
