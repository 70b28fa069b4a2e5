package auditcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/atomicfile"
	"github.com/triptych-mcp/triptych/transport/audit"
)

const (
	// exportState is the name of the file that says what was exported.
	exportState = "exported.json"
	// exportRecords limits the records of a file.
	exportRecords = 10_000
)

// An export is a folder that records are exported to.
type export struct {
	folder string
	done   map[string]audit.Position // of the last record of each chain that was exported
}

// openExport opens a folder, which it makes with mode 0700.
func openExport(folder string) (*export, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	e := &export{folder: folder, done: map[string]audit.Position{}}
	text, err := os.ReadFile(filepath.Join(folder, exportState))
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &e.done)
	}
	if err != nil {
		return nil, app.WithHints(fmt.Errorf("%s: %w", exportState, err), "remove the file to export all records again")
	}
	return e, nil
}

// An exportFile holds records of one chain that become a file.
type exportFile struct {
	chain string
	seqs  []uint64 // of the records
	lines [][]byte // one for each record, with its newline
	last  audit.Position
}

// run exports what is new and returns the number of records.
func (e *export) run(ctx context.Context, trail *audit.Log) (n int, err error) {
	bad := 0
	file := &exportFile{}
	flush := func() error {
		err := e.write(file)
		if err == nil {
			n += len(file.seqs)
		}
		file = &exportFile{}
		return err
	}
	for r, err := range trail.After(ctx, maps.Clone(e.done)) {
		if _, ok := errors.AsType[*audit.BreakError](err); ok {
			bad++
			continue
		}
		if err == nil && !file.takes(r) {
			err = flush()
		}
		if err == nil {
			err = file.add(r)
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

// takes reports whether a record can be added to the file.
func (f *exportFile) takes(r audit.Placed) bool {
	return len(f.seqs) == 0 || len(f.seqs) < exportRecords && r.Chain == f.chain && r.At.Began == f.last.Began
}

// add adds a record to the file.
func (f *exportFile) add(r audit.Placed) error {
	text, err := json.Marshal(app.RecordJSONOf(r.Record))
	if err != nil {
		return err
	}
	f.chain, f.last = r.Chain, r.At
	f.seqs, f.lines = append(f.seqs, r.Seq), append(f.lines, append(text, '\n'))
	return nil
}

// write writes a file and then says so. An export that is killed in between finds the file
// when it runs again.
func (e *export) write(f *exportFile) error {
	if len(f.seqs) == 0 {
		return nil
	}
	f.last.Began = max(f.last.Began, e.done[f.chain].Began)
	for {
		err := f.store(e.folder)
		if err == nil {
			break
		}
		if !errors.Is(err, errOtherRecords) {
			return err
		}
		f.last.Began++
	}
	e.done[f.chain] = f.last
	text, err := json.MarshalIndent(e.done, "", "\t")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(e.folder, exportState), append(text, '\n'), 0o600)
}

// errOtherRecords is returned when a file is there that has other records of the same numbers.
var errOtherRecords = errors.New("there are other records")

// store writes records into the folder of their chain. A file that is there is not changed: if
// it has the first of the records, the others become the next file.
func (f *exportFile) store(folder string) error {
	dir := filepath.Join(folder, f.chain)
	if n := f.last.Began; n > 0 { // chains of one name that begin anew have folders of their own
		dir += fmt.Sprint("-", n+1)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for n := 0; n < len(f.seqs); {
		path := filepath.Join(dir, fmt.Sprintf("%012d.jsonl", f.seqs[n]))
		there, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return atomicfile.Write(path, bytes.Join(f.lines[n:], nil), 0o600)
		}
		if err != nil {
			return err
		}
		for line := range bytes.Lines(there) {
			if n == len(f.lines) {
				break
			}
			if !bytes.Equal(line, f.lines[n]) {
				return errOtherRecords
			}
			n++
		}
		if len(there) == 0 {
			return fmt.Errorf("%s is empty", path)
		}
	}
	return nil
}
