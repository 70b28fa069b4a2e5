package auditcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
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
