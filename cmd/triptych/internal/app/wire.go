package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/answers"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/dataformat"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/recorder"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// family is a family that is known to be there.
func (a *App) family(name string) Family {
	return a.Families[slices.IndexFunc(a.Families, func(f Family) bool { return f.Name == name })]
}

// Only is the same app with one family.
func (a *App) Only(name string) *App {
	one := *a
	one.Families, one.Flags.families = []Family{a.family(name)}, nil
	one.Getenv = func(variable string) string {
		if variable == "TRIPTYCH_FAMILIES" {
			return ""
		}
		return a.Getenv(variable)
	}
	return &one
}

// Quiet is the same app, whose log has errors alone unless a level is given: for commands
// that report in a form of their own what the log would have.
func (a *App) Quiet() *App {
	one := *a
	one.quiet = true
	return &one
}

// FamilyNames are the names of all families.
func (a *App) FamilyNames() []string {
	names := make([]string, len(a.Families))
	for i, f := range a.Families {
		names[i] = f.Name
	}
	return names
}

// ChosenFamilies are the families of --families, in the order of the table; all when
// it is not given.
func (a *App) ChosenFamilies() ([]Family, error) {
	names := a.Flags.families
	if len(names) == 0 && a.Getenv("TRIPTYCH_FAMILIES") != "" {
		names = strings.Split(a.Getenv("TRIPTYCH_FAMILIES"), ",")
	}
	if len(names) == 0 {
		return a.Families, nil
	}
	wanted := map[string]bool{}
	for _, name := range names {
		name = strings.TrimSpace(name)
		if !slices.Contains(a.FamilyNames(), name) {
			return nil, cmderr.UsageErrorf("unknown family %q; there are %s", name, strings.Join(a.FamilyNames(), ", "))
		}
		wanted[name] = true
	}
	var chosen []Family
	for _, f := range a.Families {
		if wanted[f.Name] {
			chosen = append(chosen, f)
		}
	}
	return chosen, nil
}

// DataDir is the data folder: the flag's, else the environment's, else the
// one that the XDG base directory specification gives. It need not exist.
func (a *App) DataDir() (string, error) {
	if dir := cmp.Or(a.Flags.Data, a.Getenv("TRIPTYCH_DATA")); dir != "" {
		return filepath.Abs(dir)
	}
	if xdg := a.Getenv("XDG_DATA_HOME"); filepath.IsAbs(xdg) { // the specification ignores relative ones
		return filepath.Join(xdg, "triptych"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", cmderr.WithHints(fmt.Errorf("finding the data folder: %w", err), "name one with --data or TRIPTYCH_DATA")
	}
	return filepath.Join(home, ".local", "share", "triptych"), nil
}

// Logger writes to standard error from the level of --log-level or LOG_LEVEL
// on, else from the usual one.
func (a *App) Logger(usual slog.Level) (*slog.Logger, error) {
	if a.quiet {
		usual = slog.LevelError
	}
	level, err := ParseLevel(a.Flags.logLevel, "--log-level", usual)
	if err == nil && a.Flags.logLevel == "" {
		level, err = ParseLevel(a.Getenv("LOG_LEVEL"), "LOG_LEVEL", usual)
	}
	if err != nil {
		return slog.New(slog.DiscardHandler), err
	}
	if a.Level == nil {
		a.Level = new(slog.LevelVar)
	}
	a.Level.Set(level)
	options := &slog.HandlerOptions{Level: a.Level}
	switch format := a.logFormat(); format {
	case "text":
		return slog.New(slog.NewTextHandler(a.logOutput(), options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(a.logOutput(), options)), nil
	default:
		return slog.New(slog.DiscardHandler), cmderr.UsageErrorf("--log-format is %q, want text or json", format)
	}
}

var levels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "warning": slog.LevelWarn, "error": slog.LevelError,
}

// ParseLevel reads a level; where names it for people.
func ParseLevel(text, where string, usual slog.Level) (slog.Level, error) {
	if text == "" {
		return usual, nil
	}
	level, ok := levels[strings.ToLower(text)]
	if !ok {
		return usual, cmderr.UsageErrorf("%s is %q, want debug, info, warn or error", where, text)
	}
	return level, nil
}

// Env returns the environment of the families. Before that, a command that root runs on
// the data folder of another user becomes that user, unless its row says otherwise.
func (a *App) Env(usual slog.Level) (host.Env, error) {
	data, err := a.DataDir()
	if err != nil {
		return host.Env{}, err
	}
	if !a.keepUser {
		if err := becomeOwner(data); err != nil {
			return host.Env{}, err
		}
	}
	if err := dataformat.Check(data); err != nil {
		return host.Env{}, cmderr.WithHints(err, formatHint(err))
	}
	prefix, err := a.storePrefix()
	if err != nil {
		return host.Env{}, err
	}
	logger, err := a.Logger(usual)
	env := host.Env{Logger: logger, Now: a.Now, Data: data, Store: a.StoreURL(), StorePrefix: prefix, FurtherStores: a.Flags.Stores, Getenv: a.Getenv}
	env.Names = a.keyNames(env)
	return env, err
}

// formatHint returns what to do about a data folder that has no format that is known.
func formatHint(err error) string {
	if _, newer := errors.AsType[*dataformat.NewerError](err); newer {
		return "use a newer triptych, or restore the backup from before it was upgraded; see UPGRADING.md"
	}
	return "if no newer triptych has used the folder, remove the file: triptych serve writes it again; otherwise restore it from a backup"
}

// OpenServer opens the chosen families and makes a server of them, which tells
// the recorder of each request; nil records nothing. Close it.
func (a *App) OpenServer(ctx context.Context, env host.Env, r *recorder.Recorder, options ...func(*mcp.Config)) (*mcp.Server, error) {
	chosen, err := a.ChosenFamilies()
	if err != nil {
		return nil, err
	}
	names, err := toolNames(cmp.Or(a.Flags.toolNames, a.Getenv("TRIPTYCH_TOOL_NAMES")))
	if err != nil {
		return nil, err
	}
	if r != nil && r.Telemetry() != nil {
		env.Span = r.Telemetry().StartPart
	}
	tables, err := openTables(ctx, chosen, env)
	if err != nil {
		return nil, err
	}
	selection, err := a.toolSelection(tables)
	if err != nil {
		return nil, errors.Join(err, closeTables(tables))
	}
	outputs, err := outputSchemas(cmp.Or(a.Flags.Outputs, a.Getenv("TRIPTYCH_OUTPUT_SCHEMAS")))
	if err != nil {
		return nil, errors.Join(err, closeTables(tables))
	}
	cfg := mcp.Config{
		Name: "triptych", Title: "Triptych", Version: buildinfo.Read().Version, ToolNames: names, Logger: env.Logger,
		Tools: selection, OutputSchemas: outputs, Elsewhere: a.elsewhere(chosen),
		Oversize: answers.New(filepath.Join(env.Data, "answers"), env.Now),
	}
	if r != nil {
		r.Configure(&cfg)
	}
	for _, set := range options {
		set(&cfg)
	}
	return mcp.New(cfg, tables...)
}

// openTables opens families; when one fails, those that were opened are
// closed again.
func openTables(ctx context.Context, families []Family, env host.Env) ([]*mcp.Table, error) {
	var tables []*mcp.Table
	for _, f := range families {
		one := env
		one.Logger = env.Logger.With("family", f.Name)
		table, err := f.Config.Open(ctx, one)
		if err != nil {
			return nil, errors.Join(err, closeTables(tables))
		}
		tables = append(tables, table)
	}
	return tables, nil
}

func closeTables(tables []*mcp.Table) error {
	var errs []error
	for _, t := range tables {
		if t.Close != nil {
			errs = append(errs, t.Close())
		}
	}
	return errors.Join(errs...)
}
