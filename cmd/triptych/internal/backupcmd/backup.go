package backupcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/redis/go-redis/v9"
	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/backup"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// BackupCommand returns the row of triptych backup.
func BackupCommand(a *app.App) command.Command { return newCommands(a).backupCommand() }

func (a commands) backupCommand() command.Command {
	var personal bool
	return command.Command{
		Name: "backup", Args: "FILE", Min: 1, Max: 1,
		Short: "write all data into one file, while servers run",
		Long: "Copies rulesets with their history and labels, keys, counts of requests, the record of\n" +
			"consumers, the audit trail with its signatures, puzzles, speeds and certificates. The\n" +
			"file has the private key of the trail and that of the certificate: keep it as safe as\n" +
			"the data folder. It must not exist; - is standard output. Puzzles and inputs that users\n" +
			"downloaded with accounts of their own are left out, since they must not be passed on.",
		Example: "triptych backup triptych-$(date +%F).tar.gz\ntriptych backup --store valkey://localhost:6379 - | age -r … > backup.age",
		Flags: func(set *pflag.FlagSet) {
			set.BoolVar(&personal, "personal", false, "also copy puzzles, inputs and guesses of users, without their cookies; not for others")
			a.app.KeysFlags(set)
		},
		Run: func(ctx context.Context, args []string) error { return a.backup(ctx, args[0], personal) },
	}
}

// RestoreCommand returns the row of triptych restore.
func RestoreCommand(a *app.App) command.Command { return newCommands(a).restoreCommand() }

func (a commands) restoreCommand() command.Command {
	var check bool
	return command.Command{
		Name: "restore", Args: "FILE", Min: 1, Max: 1,
		Short: "restore a backup into an empty data folder, or check it",
		Long: "Checks the hash of everything in the file first, then restores, then compares what\n" +
			"is there with the file. One that was cut off can be repeated. With --store, rulesets,\n" +
			"keys, counts and the audit trail go to that server, whichever store they came from.",
		Example: "triptych restore triptych-2026-11-22.tar.gz --data /var/lib/triptych\ntriptych restore --check triptych-2026-11-22.tar.gz",
		Flags: func(set *pflag.FlagSet) {
			set.BoolVar(&check, "check", false, "only check that the file is whole")
			a.app.KeysFlags(set)
		},
		Run: func(ctx context.Context, args []string) error { return a.restore(ctx, args[0], check) },
	}
}

// MigrateCommand returns the row of triptych migrate.
func MigrateCommand(a *app.App) command.Command { return newCommands(a).migrateCommand() }

func (a commands) migrateCommand() command.Command {
	var from, to string
	return command.Command{
		Name:  "migrate",
		Short: "copy all data from one store to another",
		Long: "A store is the URL of a server, or files: in the data folder. The store that is\n" +
			"copied stays as it is; end its servers first, so that nothing is written there\n" +
			"afterwards. What was copied is compared. Puzzles, speeds and certificates are in\n" +
			"the data folder with every store and stay there.",
		Example: "triptych migrate --from files: --to valkey://localhost:6379/0\ntriptych migrate --from valkey://old:6379 --to valkey://new:6379",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&from, "from", "", "copy this `store`")
			set.StringVar(&to, "to", "", "into this `store`, which has none of it")
			a.app.DataFlags(set)
		},
		Run: func(ctx context.Context, _ []string) error { return a.migrate(ctx, from, to) },
	}
}

// openParts are the stores of a backup, which are closed together.
type openParts struct {
	backup.Source
	client  redis.UniversalClient // nil for files
	env     host.Env
	closers []io.Closer
}

// openStores opens what a backup copies. Puzzles and certificates are among it if
// withFolder is set.
func (a commands) openStores(ctx context.Context, withFolder bool) (p *openParts, err error) {
	env, err := a.app.Env(slog.LevelWarn)
	if err != nil {
		return nil, err
	}
	p = &openParts{env: env}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	p.Program, p.Now = buildinfo.Read().Version, a.app.Now()
	if withFolder {
		p.Data = env.Data
	}
	if p.client, err = a.app.DialValkey(ctx, env.Logger); err != nil {
		return p, err
	}
	dir := filepath.Join(env.Data, "audit")
	p.Trail = audit.New(audit.Config{Dir: dir})
	p.Counts = func(context.Context) ([]quota.Count, error) { return quota.ReadLocal(filepath.Join(env.Data, "quota")) }
	if p.client != nil {
		p.closers = append(p.closers, p.client)
		p.Trail = audit.NewValkey(audit.ValkeyConfig{Client: p.client, Prefix: env.StorePrefix, KeyDir: dir})
		p.Counts = func(ctx context.Context) ([]quota.Count, error) {
			return quota.ReadValkey(ctx, p.client, env.StorePrefix)
		}
	}
	var store ruleset.Store
	if store, err = rulesets.OpenStore(ctx, env); err != nil {
		return p, err
	}
	p.Rulesets, p.closers = store, append(p.closers, store)
	if p.Consumers, err = rulesets.OpenBook(ctx, env); err != nil {
		return p, err
	}
	p.closers = append(p.closers, p.Consumers)
	var ring keys.Store
	if ring, err = a.app.OpenKeys(p.client, env); err != nil {
		return p, err
	}
	p.Keys, p.closers = ring, append(p.closers, ring)
	return p, nil
}

func (p *openParts) close() error {
	var errs []error
	for _, c := range p.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

func (a commands) backup(ctx context.Context, file string, personal bool) error {
	if file == "-" {
		return a.backupTo(ctx, a.Out, personal)
	}
	// The file is opened first: opening the stores may change the user of the process.
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = a.backupTo(ctx, out, personal); err != nil {
		err = errors.Join(err, out.Truncate(0)) // the file may be where the user of the process cannot remove it
	}
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return errors.Join(err, os.Remove(file)) // a part of a backup looks like one
	}
	return nil
}

// backupTo writes a backup and says what it has.
func (a commands) backupTo(ctx context.Context, out io.Writer, personal bool) (err error) {
	p, err := a.openStores(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	p.Personal = personal
	m, err := backup.Write(ctx, out, p.Source)
	if err != nil {
		return err
	}
	return errors.Join(tellBackup(a.IO, "wrote", m), tellPersonal(a.IO, &p.Source))
}

// tellPersonal says what a backup has not.
func tellPersonal(out *cmdio.IO, s *backup.Source) error {
	if s.Personal || !backup.HasPersonal(s.Data) {
		return nil
	}
	_, err := fmt.Fprintln(out.Err, "triptych: left out what users downloaded with accounts of their own, in aoc/personal; --personal copies it")
	return err
}

// tellBackup says what a backup has.
func tellBackup(out *cmdio.IO, done string, m *backup.Manifest) error {
	if m == nil {
		return nil
	}
	_, err := fmt.Fprintf(out.Err, "triptych: %s %d rulesets, %d chains of the audit trail and %d files of the data folder\n",
		done, m.Count("rulesets"), m.Count("audit")/2, m.Count("data"))
	return err
}

func (a commands) restore(ctx context.Context, file string, check bool) (err error) {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read
	m, err := backup.Read(in)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if check {
		return tellBackup(a.IO, "the backup is whole:", m)
	}
	p, err := a.openStores(ctx, true)
	if err != nil {
		return err
	}
	p.Personal = true // as far as the backup has it
	defer func() { err = errors.Join(err, p.close()) }()
	return restoreInto(ctx, a.IO, in, p, m)
}

// restoreInto restores a backup that was checked into stores that have nothing else.
func restoreInto(ctx context.Context, out *cmdio.IO, in io.ReadSeeker, p *openParts, m *backup.Manifest) error {
	err := backup.Fits(ctx, in, p.Source, m)
	if _, ok := errors.AsType[*backup.ConflictError](err); ok {
		return cmderr.WithHints(err, "choose another --data or --store, or move what is there away")
	}
	if err != nil {
		return err
	}
	meter, err := app.OpenMeter(ctx, p.client, p.env)
	if err != nil {
		return err
	}
	err = backup.Restore(ctx, in, backup.Target{Source: p.Source, Meter: meter}, m)
	if err := errors.Join(err, meter.Close()); err != nil {
		return err
	}
	return tellBackup(out, "restored and compared", m)
}

func (a commands) migrate(ctx context.Context, from, to string) (err error) {
	if from == "" || to == "" || from == to {
		return cmderr.WithHints(cmderr.UsageErrorf("migrate needs --from and --to, two different stores"), "triptych migrate --from files: --to valkey://localhost:6379")
	}
	between, err := os.CreateTemp("", "triptych-migrate-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, between.Close(), os.Remove(between.Name())) }()
	var m *backup.Manifest
	err = a.withStores(ctx, from, func(p *openParts) error {
		m, err = backup.Write(ctx, between, p.Source)
		return err
	})
	if err != nil {
		return fmt.Errorf("reading %s: %w", app.RedactedURL(from), err)
	}
	return a.withStores(ctx, to, func(p *openParts) error { return restoreInto(ctx, a.IO, between, p, m) })
}

// withStores runs a function with the stores at a URL.
func (a commands) withStores(ctx context.Context, url string, use func(*openParts) error) error {
	one := *a.app
	one.Flags.Store = url
	if url == "files:" {
		one.Flags.Store = ""
		one.Getenv = func(name string) string {
			switch name {
			case "TRIPTYCH_STORE", "VALKEY_HOST", "VALKEY_PORT":
				return ""
			}
			return a.app.Getenv(name)
		}
	}
	p, err := newCommands(&one).openStores(ctx, false)
	if err != nil {
		return err
	}
	return errors.Join(use(p), p.close())
}
