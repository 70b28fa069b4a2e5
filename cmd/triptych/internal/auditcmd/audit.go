package auditcmd

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/recorder"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/plain"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// AuditCommand returns the row of triptych audit.
func AuditCommand(a *app.App) command.Command { return newCommands(a).auditCommand() }

func (a commands) auditCommand() command.Command {
	return command.Command{
		Name:  "audit",
		Short: "read, export and verify the audit trail",
		Long: "Every request to a server is a record of the trail, which is chained by hashes\n" +
			"and signed. It is in the folder audit of the data folder, or on the server of\n" +
			"the rulesets.",
		Example: "triptych audit show --from 24h\n" +
			"triptych audit verify",
		Sub: []command.Command{a.auditShow(), a.auditExport(), a.auditVerify(), a.auditRotateKey()},
	}
}

// withTrail runs a function with the trail that the flags and the environment
// select. Nothing is added to it.
func (a commands) withTrail(ctx context.Context, use func(*audit.Log) error) error {
	env, err := a.app.Env(slog.LevelWarn)
	if err != nil {
		return err
	}
	client, err := a.app.DialValkey(ctx, env.Logger)
	if err != nil {
		return err
	}
	dir := filepath.Join(env.Data, "audit")
	if client == nil {
		return use(audit.New(audit.Config{Dir: dir}))
	}
	err = use(audit.NewValkey(audit.ValkeyConfig{Client: client, Prefix: env.StorePrefix, KeyDir: dir}))
	return errors.Join(err, client.Close())
}

// showFlags are the flags of audit show.
type showFlags struct {
	from, to string
	filter   audit.Filter
	asJSON   bool
}

func (a commands) auditShow() command.Command {
	var f showFlags
	return command.Command{
		Name: "show", Short: "print the records of the trail, oldest first",
		Long: "A time is ISO 8601, such as 2024-12-05 or 2024-12-05T12:34:56Z, or how long ago,\n" +
			"such as 90m or 7d. A day is that of UTC.",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&f.from, "from", "", "print records from this `time` on")
			set.StringVar(&f.to, "to", "", "print records before this `time`")
			set.StringVar(&f.filter.Session, "session", "", "print the records of the session with this `id`")
			set.StringVar(&f.filter.Key, "key", "", "print the records of this `key`, an id or a name\nThe key of standard input and output is local.")
			set.IntVar(&f.filter.Limit, "limit", 0, "print at most this `number` of records; 0 is all")
			command.JSONFlag(set, &f.asJSON)
			a.app.KeysFlags(set)
		},
		Run: func(ctx context.Context, _ []string) error {
			filter, err := a.auditFilter(ctx, &f)
			if err != nil {
				return err
			}
			return a.withTrail(ctx, func(trail *audit.Log) error { return a.printTrail(ctx, trail, filter, f.asJSON) })
		},
	}
}

func (a commands) auditFilter(ctx context.Context, f *showFlags) (audit.Filter, error) {
	err := a.findKey(ctx, &f.filter)
	if err != nil {
		return f.filter, err
	}
	if f.filter.From, err = parseSince(f.from, a.app.Now()); err != nil {
		return f.filter, cmderr.UsageErrorf("--from: %v", err)
	}
	if f.filter.To, err = parseSince(f.to, a.app.Now()); err != nil {
		return f.filter, cmderr.UsageErrorf("--to: %v", err)
	}
	if f.filter.Limit < 0 {
		return f.filter, cmderr.UsageErrorf("--limit is %d, want 0 or more", f.filter.Limit)
	}
	return f.filter, nil
}

// findKey replaces the name of a key in a filter by its id.
func (a commands) findKey(ctx context.Context, f *audit.Filter) error {
	if f.Key == "" || f.Key == host.Local().ID {
		return nil
	}
	env, err := a.app.Env(slog.LevelWarn)
	if err != nil {
		return err
	}
	ids, err := a.keyIDs(ctx, env, f.Key)
	if err != nil {
		return err
	}
	if len(ids) > 1 {
		return cmderr.WithHints(cmderr.UsageErrorf("%d keys have the name %q", len(ids), f.Key), "name one by its id: "+strings.Join(ids, ", "))
	}
	f.Key = ids[0]
	return nil
}

// parseSince reads a time, or how long ago it was; "" is the zero time.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	if ago, err := command.ParseSpan(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	return time.Time{}, fmt.Errorf("%q is no time such as 2024-12-05T12:34:56Z, and no time ago such as 90m or 7d", text)
}

// printTrail prints records as they are read. Lines that cannot be read are
// told, and the rest is printed all the same.
func (a commands) printTrail(ctx context.Context, trail *audit.Log, filter audit.Filter, asJSON bool) error {
	names, err := a.keyNames(ctx)
	if err != nil {
		return err
	}
	printer := trailPrinter{out: a.Out, asJSON: asJSON, name: names}
	bad := 0
	for r, err := range trail.Query(ctx, filter) {
		if line, ok := errors.AsType[*audit.BreakError](err); ok {
			bad++
			fmt.Fprintf(a.Err, "triptych: %s\n", plain.Line(line.Error()))
			continue
		}
		if err == nil {
			err = printer.print(r)
		}
		if err != nil {
			return err
		}
	}
	if err := printer.end(); err != nil {
		return err
	}
	if bad == 0 && printer.printed == 0 && !asJSON {
		fmt.Fprintln(a.Err, "triptych: no audit records")
	}
	return unreadable(bad)
}

func (a commands) auditVerify() command.Command {
	var asJSON, incremental bool
	var trusted []string
	return command.Command{
		Name: "verify", Short: "check that nobody changed the trail",
		Long: "Changes, removals and additions are found, and where. That the end of a chain was\n" +
			"put back to what it once was can only be found by comparing what this prints with\n" +
			"what it printed before: keep it, and a copy of audit/signing.pub, elsewhere.\n" +
			"With --incremental, chains are read from the signed head on that the last such\n" +
			"verification ended with, as audit/verified.json in the data folder says; what was\n" +
			"changed before it is found without the flag.",
		Flags: func(set *pflag.FlagSet) {
			set.StringSliceVar(&trusted, "trust", nil, "trust the public key in this `file`; repeatable\ndefault: audit/signing.pub in the data folder")
			set.BoolVar(&incremental, "incremental", false, "verify from where the last verification with this flag ended")
			command.JSONFlag(set, &asJSON)
			a.app.KeysFlags(set)
		},
		Run: func(ctx context.Context, _ []string) error {
			keys, err := readPublicKeys(trusted)
			if err != nil {
				return err
			}
			where, err := a.app.ValkeyURL()
			if err != nil {
				return err
			}
			return a.withTrail(ctx, func(trail *audit.Log) error {
				verify := trail.Verify
				if incremental {
					verify = a.verifyOn(trail)
				}
				report, err := verify(ctx, keys...)
				if err != nil {
					return err
				}
				return printReport(a.IO, report, where != "", asJSON)
			})
		},
	}
}

// verifyOn returns a function that verifies from the checkpoints of the data folder on, and
// saves those that it ends with.
func (a commands) verifyOn(trail *audit.Log) func(context.Context, ...ed25519.PublicKey) (audit.Report, error) {
	return func(ctx context.Context, trusted ...ed25519.PublicKey) (audit.Report, error) {
		env, err := a.app.Env(slog.LevelWarn)
		if err != nil {
			return audit.Report{}, err
		}
		path := recorder.CheckpointFile(env.Data)
		from, err := audit.LoadCheckpoints(path)
		if err != nil {
			return audit.Report{}, cmderr.WithHints(err, "remove the file to verify from the beginning")
		}
		report, err := trail.VerifyFrom(ctx, from, trusted...)
		if next := report.Checkpoints(); err == nil && len(next) > 0 {
			err = next.Save(path)
		}
		return report, err
	}
}

func readPublicKeys(paths []string) ([]ed25519.PublicKey, error) {
	var keys []ed25519.PublicKey
	for _, path := range paths {
		key, err := audit.ReadPublicKey(path)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}
