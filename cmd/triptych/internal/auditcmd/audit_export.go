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
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/atomicfile"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// exportFlags are the flags of audit export.
type exportFlags struct {
	showFlags
	folder string
	follow bool
	every  time.Duration
}

func (a commands) auditExport() app.Command {
	var f exportFlags
	return app.Command{
		Name: "export", Short: "write the records of the trail as JSON lines",
		Long: "Writes one record a line to standard output, or with --to-folder into files of a\n" +
			"folder for each chain, named by their first record. The folder remembers how far\n" +
			"each chain was exported, so that the next export goes on from there; with --follow\n" +
			"it goes on by itself. Each record is in the folder once, also when an export was\n" +
			"killed, and files do not change once they are whole: copy them to an object store\n" +
			"with a lock, or to a log collector.",
		Example: "triptych audit export --from 24h > day.jsonl\n" +
			"triptych audit export --to-folder /var/archive/audit --follow",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&f.from, "from", "", "export records from this `time` on")
			set.StringVar(&f.to, "to", "", "export records before this `time`")
			set.StringVar(&f.filter.Key, "key", "", "export the records of the key with this `id`")
			set.StringVar(&f.folder, "to-folder", "", "export what is new into files of this `folder`")
			set.BoolVar(&f.follow, "follow", false, "with --to-folder, go on with new records until interrupted")
			set.DurationVar(&f.every, "every", 10*time.Second, "with --follow, look for new records each `time`")
			a.KeysFlags(set)
		},
		Run: func(ctx context.Context, _ []string) error {
			filter, err := a.auditFilter(&f.showFlags)
			switch {
			case err != nil:
				return err
			case f.follow && f.folder == "":
				return app.UsageErrorf("--follow needs --to-folder")
			case f.every <= 0:
				return app.UsageErrorf("--every is %s, want more than 0", f.every)
			case f.folder != "" && filter != (audit.Filter{}):
				return app.UsageErrorf("--to-folder exports all records, so --from, --to and --key do not go with it")
			}
			return a.withTrail(ctx, func(trail *audit.Log) error {
				if f.folder == "" {
					return a.exportTo(ctx, trail, filter)
				}
				return a.exportFolder(ctx, trail, &f)
			})
		},
	}
}

// exportTo writes all records to standard output.
func (a commands) exportTo(ctx context.Context, trail *audit.Log, filter audit.Filter) error {
	lines := json.NewEncoder(a.Out)
	bad := 0
	for r, err := range trail.Query(ctx, filter) {
		if _, ok := errors.AsType[*audit.BreakError](err); ok {
			bad++
			continue
		}
		if err == nil {
			err = lines.Encode(app.RecordJSONOf(r))
		}
		if err != nil {
			return err
		}
	}
	return unreadable(bad)
}

// unreadable is the error for lines that cannot be read, nil if there are none.
func unreadable(lines int) error {
	if lines == 0 {
		return nil
	}
	return app.WithHints(fmt.Errorf("%d lines of the audit trail cannot be read", lines), "triptych audit verify tells more")
}

// exportFolder exports into a folder what is new, once or until ctx is done.
func (a commands) exportFolder(ctx context.Context, trail *audit.Log, f *exportFlags) error {
	e, err := openExport(f.folder)
	if err != nil {
		return err
	}
	for {
		n, err := e.run(ctx, trail)
		if n > 0 {
			fmt.Fprintf(a.Err, "triptych: exported %d records\n", n)
		}
		switch {
		case ctx.Err() != nil:
			return app.WithoutDisconnects(ctx, err)
		case err != nil && !f.follow:
			return err
		case err != nil:
			fmt.Fprintf(a.Err, "triptych: %v; trying again\n", err)
		case !f.follow:
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(f.every):
		}
	}
}

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
	first uint64
	n     int
	text  bytes.Buffer
	last  audit.Position
}

// run exports what is new and returns the number of records.
func (e *export) run(ctx context.Context, trail *audit.Log) (n int, err error) {
	bad := 0
	file := &exportFile{}
	flush := func() error {
		err := e.write(file)
		if err == nil {
			n += file.n
		}
		file = &exportFile{}
		return err
	}
	for r, err := range trail.After(ctx, maps.Clone(e.done)) {
		if _, ok := errors.AsType[*audit.BreakError](err); ok {
			bad++
			continue
		}
		if err == nil && file.n > 0 && (r.Chain != file.chain || file.n == exportRecords) {
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

// add adds a record to a file.
func (f *exportFile) add(r audit.Placed) error {
	if f.n == 0 {
		f.chain, f.first = r.Chain, r.Seq
	}
	f.n++
	f.last = r.At
	return json.NewEncoder(&f.text).Encode(app.RecordJSONOf(r.Record))
}

// write writes a file and then says so. An export that is killed in between writes the
// same file again.
func (e *export) write(f *exportFile) error {
	if f.n == 0 {
		return nil
	}
	dir := filepath.Join(e.folder, f.chain)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(dir, fmt.Sprintf("%012d.jsonl", f.first)), f.text.Bytes(), 0o600); err != nil {
		return err
	}
	e.done[f.chain] = f.last
	text, err := json.MarshalIndent(e.done, "", "\t")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(e.folder, exportState), append(text, '\n'), 0o600)
}
