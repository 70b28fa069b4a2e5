package auditcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/recorder"
	"github.com/triptych-mcp/triptych/mcp/atomicfile"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// positions holds the position of the last record of each chain that was exported.
type positions map[string]audit.Position

// A destination takes the records of an export.
type destination interface {
	// load returns the positions of what was stored.
	load(ctx context.Context) (positions, error)
	// store stores the records of a segment. It may set s.last.Began to a higher number, if
	// records of another chain of this name are there. A [*partialError] says that some of the
	// records will never be taken.
	store(ctx context.Context, s *segment) error
	// save stores the positions after a segment was stored.
	save(done positions) error
	// most returns the number of records that a segment may have.
	most() int
}

// An exporter exports what is new in a trail.
type exporter struct {
	to   destination
	done positions // nil if they have to be loaded
}

// A segment holds records of one chain that are stored together.
type segment struct {
	chain   string
	records []audit.Record
	lines   [][]byte // one for each record: JSON and its newline
	last    audit.Position
}

// A partialError reports that a destination has taken a segment without some of its records,
// and that these must not be sent again.
type partialError struct {
	segment *segment
	err     error
}

// Error says in which records some are missing.
func (e *partialError) Error() string {
	s := e.segment
	return fmt.Sprintf("chain %s, records %d to %d: %v", s.chain, s.records[0].Seq, s.last.Seq, e.err)
}

// run exports what is new and returns the number of records. After an error, the next run
// loads the positions again. The error names the records that the destination did not take,
// whatever else fails: they are not sent again.
func (e *exporter) run(ctx context.Context, trail *audit.Log) (n int, err error) {
	bad, incomplete := 0, []error{}
	defer func() {
		if err = errors.Join(append(incomplete, err)...); err != nil {
			e.done = nil
		}
	}()
	if e.done == nil {
		if e.done, err = e.to.load(ctx); err != nil {
			return 0, err
		}
	}
	s := &segment{}
	flush := func() error {
		err := e.store(ctx, s)
		if partial, ok := errors.AsType[*partialError](err); ok {
			incomplete, err = append(incomplete, partial), e.advance(s)
		}
		if err == nil {
			n += len(s.records)
		}
		s = &segment{}
		return err
	}
	for r, err := range trail.After(ctx, maps.Clone(e.done)) {
		if _, ok := errors.AsType[*audit.BreakError](err); ok {
			bad++
			continue
		}
		if err == nil && !s.takes(r, e.to.most()) {
			err = flush()
		}
		if err == nil {
			err = s.add(r)
		}
		if err != nil {
			return n, err
		}
	}
	if err := flush(); err != nil {
		return n, err
	}
	return n, unreadable(bad)
}

// store stores a segment and then the positions. An export that is killed in between finds the
// records when it runs again.
func (e *exporter) store(ctx context.Context, s *segment) error {
	if len(s.records) == 0 {
		return nil
	}
	s.last.Began = max(s.last.Began, e.done[s.chain].Began)
	if err := e.to.store(ctx, s); err != nil {
		return err
	}
	return e.advance(s)
}

// advance saves the positions after a segment was stored.
func (e *exporter) advance(s *segment) error {
	e.done[s.chain] = s.last
	return e.to.save(e.done)
}

// takes reports whether a record can be added to the segment.
func (s *segment) takes(r audit.Placed, most int) bool {
	return len(s.records) == 0 || len(s.records) < most && r.Chain == s.chain && r.At.Began == s.last.Began
}

// add adds a record to the segment.
func (s *segment) add(r audit.Placed) error {
	text, err := json.Marshal(recorder.JSONOf(r.Record))
	if err != nil {
		return err
	}
	s.chain, s.last = r.Chain, r.At
	s.records, s.lines = append(s.records, r.Record), append(s.lines, append(text, '\n'))
	return nil
}

// dir returns the name of the folder of the segment's chain. Chains of one name that start over
// have folders of their own.
func (s *segment) dir() string {
	if n := s.last.Began; n > 0 {
		return fmt.Sprint(s.chain, "-", n+1)
	}
	return s.chain
}

// segmentName returns the name of a segment by the number of its first record.
func segmentName(seq uint64) string { return fmt.Sprintf("%012d.jsonl", seq) }

// A stateFile holds the positions of an export.
type stateFile string

// load returns the positions in the file, none if there is no file.
func (f stateFile) load(context.Context) (positions, error) {
	done := positions{}
	text, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return done, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &done)
	}
	if err != nil {
		return nil, cmderr.WithHints(fmt.Errorf("%s: %w", f, err), "remove the file to export all records again")
	}
	return done, nil
}

// save replaces the file.
func (f stateFile) save(done positions) error {
	text, err := json.MarshalIndent(done, "", "\t")
	if err != nil {
		return err
	}
	return atomicfile.Write(string(f), append(text, '\n'), 0o600)
}
