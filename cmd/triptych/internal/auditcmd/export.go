package auditcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/recorder"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// exportFlags are the flags of audit export.
type exportFlags struct {
	showFlags
	folder string
	otlp   string
	state  string
	follow bool
	every  time.Duration
}

func (a commands) auditExport() command.Command {
	var f exportFlags
	return command.Command{
		Name: "export", KeepUser: true, Short: "write the records of the trail as JSON lines",
		Long: "Writes one record a line to standard output, or exports what is new since the last\n" +
			"export to a destination; with --follow it goes on by itself:\n\n" +
			"  --to-folder  files of a folder for each chain, named by their first record\n" +
			"  --to-otlp    log records for an OpenTelemetry receiver, over OTLP/HTTP\n\n" +
			"Each record is in a folder once, also when an export was killed, and files do not change,\n" +
			"so that a program such as \"aws s3 sync\" can store them elsewhere. A receiver can get the\n" +
			"last records twice; chain and seq of a record tell. The variables of OpenTelemetry hold.",
		Example: "triptych audit export --from 24h > day.jsonl\n" +
			"triptych audit export --to-folder /var/archive/audit --follow\n" +
			"triptych audit export --to-otlp http://localhost:4318 --follow",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&f.from, "from", "", "export records from this `time` on")
			set.StringVar(&f.to, "to", "", "export records before this `time`")
			set.StringVar(&f.filter.Key, "key", "", "export the records of this `key`, an id or a name")
			set.StringVar(&f.folder, "to-folder", "", "export what is new into files of this `folder`")
			set.StringVar(&f.otlp, "to-otlp", "", "export what is new to the OpenTelemetry receiver at this `url`, such as http://localhost:4318")
			set.StringVar(&f.state, "state", "", "with --to-otlp, remember in this `file` what was exported\ndefault: audit/exported-otlp.json in the data folder")
			set.BoolVar(&f.follow, "follow", false, "with a destination, go on with new records until interrupted")
			set.DurationVar(&f.every, "every", 10*time.Second, "with --follow, look for new records each `time`")
			a.app.KeysFlags(set)
		},
		Run: func(ctx context.Context, _ []string) error {
			filter, err := a.auditFilter(ctx, &f.showFlags)
			if err == nil {
				err = f.check(filter)
			}
			if err != nil {
				return err
			}
			to, err := a.destination(&f)
			if err != nil {
				return err
			}
			return a.withTrail(ctx, func(trail *audit.Log) error {
				if to == nil {
					return exportTo(ctx, a.IO, trail, filter)
				}
				return exportNew(ctx, a.IO, trail, to, &f)
			})
		},
	}
}

// check returns an error for flags that do not go together.
func (f *exportFlags) check(filter audit.Filter) error {
	toDestination := f.folder != "" || f.otlp != ""
	switch {
	case f.folder != "" && f.otlp != "":
		return cmderr.UsageErrorf("--to-folder and --to-otlp do not go together: run an export for each")
	case f.follow && !toDestination:
		return cmderr.UsageErrorf("--follow needs --to-folder or --to-otlp")
	case f.every <= 0:
		return cmderr.UsageErrorf("--every is %s, want more than 0", f.every)
	case toDestination && filter != (audit.Filter{}):
		return cmderr.UsageErrorf("a destination gets all records, so --from, --to and --key do not go with it")
	case f.state != "" && f.otlp == "":
		return cmderr.UsageErrorf("--state needs --to-otlp")
	}
	return nil
}

// destination opens the destination that the flags name, nil if they name none.
func (a commands) destination(f *exportFlags) (destination, error) {
	switch {
	case f.folder != "":
		return openFolder(f.folder)
	case f.otlp != "":
		return a.openReceiver(f.otlp, f.state)
	}
	return nil, nil
}

// exportTo writes all records to standard output.
func exportTo(ctx context.Context, out *cmdio.IO, trail *audit.Log, filter audit.Filter) error {
	lines := json.NewEncoder(out.Out)
	bad := 0
	for r, err := range trail.Query(ctx, filter) {
		if _, ok := errors.AsType[*audit.BreakError](err); ok {
			bad++
			continue
		}
		if err == nil {
			err = lines.Encode(recorder.JSONOf(r))
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
	return cmderr.WithHints(fmt.Errorf("%d lines of the audit trail cannot be read", lines), "triptych audit verify tells more")
}

// exportNew exports what is new, once or until ctx is done.
func exportNew(ctx context.Context, out *cmdio.IO, trail *audit.Log, to destination, f *exportFlags) error {
	e := &exporter{to: to}
	for {
		n, err := e.run(ctx, trail)
		if n > 0 {
			fmt.Fprintf(out.Err, "triptych: exported %d records\n", n)
		}
		switch {
		case ctx.Err() != nil:
			return cmderr.WithoutDisconnects(ctx, err)
		case err != nil && !f.follow:
			return err
		case err != nil:
			fmt.Fprintf(out.Err, "triptych: %v; going on in %s\n", err, f.every)
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
