package main

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

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/answers"
	"github.com/triptych-mcp/triptych/mcp"
)

// dataFlags registers what every command that touches data has.
func (a *app) dataFlags(set *pflag.FlagSet) {
	set.StringVar(&a.flags.data, "data", "", "keep all data below this `folder` (TRIPTYCH_DATA)")
	set.StringVar(&a.flags.logLevel, "log-level", "", "log to standard error from this `level` on: debug, info, warn, error (LOG_LEVEL)")
}

// serverFlags registers what every command that opens all families has.
func (a *app) serverFlags(set *pflag.FlagSet) {
	set.StringSliceVar(&a.flags.families, "families", nil, "open only these families, a comma-separated `list` (TRIPTYCH_FAMILIES)")
	a.dataFlags(set)
	a.storeFlag(set)
	for _, f := range a.families {
		f.config.RegisterFlags(set)
	}
	a.noAuditFlag(set)
	set.StringVar(&a.flags.auditSync, "audit-sync", "", "sync the audit records of look-ups within a second, or always before the answer like those of changes: second, always; a `word` (TRIPTYCH_AUDIT_SYNC)")
	set.StringVar(&a.flags.auditKeep, "audit-keep", "", "delete audit records that are older than this `time`, such as 90d; without it they stay (TRIPTYCH_AUDIT_KEEP)")
	set.Var(&a.flags.auditSize, "audit-size", "delete the oldest audit records beyond this `size` of each chain; 0 is no limit (TRIPTYCH_AUDIT_SIZE)")
	set.StringSliceVar(&a.flags.toolsets, "toolsets", nil, "serve only the tools of these groups, a comma-separated `list` of families, groups or both as debugger/core (TRIPTYCH_TOOLSETS)")
	set.StringSliceVar(&a.flags.tools, "tools", nil, "serve only these tools, a comma-separated `list`, besides those of --toolsets (TRIPTYCH_TOOLS)")
	set.BoolVar(&a.flags.readOnly, "read-only", false, "serve only tools that change nothing (TRIPTYCH_READ_ONLY)")
	set.StringVar(&a.flags.outputs, "output-schemas", "", "show the schemas of structured answers `when`: auto (to clients that declare the extension "+mcp.OutputSchemasExtension+"), always, never (TRIPTYCH_OUTPUT_SCHEMAS)")
	set.StringVar(&a.flags.toolNames, "tool-names", "", "list tools by their documented or by portable `names`, instead of by protocol revision (TRIPTYCH_TOOL_NAMES)")
}

// noAuditFlag registers --no-audit.
func (a *app) noAuditFlag(set *pflag.FlagSet) {
	set.BoolVar(&a.flags.noAudit, "no-audit", false, "record nothing in the audit trail; for data folders that cannot be written")
}

// familyFlags registers the flags of one family, for commands that open it
// alone.
func (a *app) familyFlags(name string) func(*pflag.FlagSet) {
	return func(set *pflag.FlagSet) {
		a.dataFlags(set)
		if a.family(name).stored {
			a.storeFlag(set)
		}
		a.family(name).config.RegisterFlags(set)
	}
}

// family is a family that is known to be there.
func (a *app) family(name string) family {
	return a.families[slices.IndexFunc(a.families, func(f family) bool { return f.name == name })]
}

// only is the same app with one family.
func (a *app) only(name string) *app {
	one := *a
	one.families, one.flags.families = []family{a.family(name)}, nil
	one.getenv = func(variable string) string {
		if variable == "TRIPTYCH_FAMILIES" {
			return ""
		}
		return a.getenv(variable)
	}
	return &one
}

// familyNames are the names of all families.
func (a *app) familyNames() []string {
	names := make([]string, len(a.families))
	for i, f := range a.families {
		names[i] = f.name
	}
	return names
}

// chosen are the families of --families, in the order of the table; all when
// it is not given.
func (a *app) chosen() ([]family, error) {
	names := a.flags.families
	if len(names) == 0 && a.getenv("TRIPTYCH_FAMILIES") != "" {
		names = strings.Split(a.getenv("TRIPTYCH_FAMILIES"), ",")
	}
	if len(names) == 0 {
		return a.families, nil
	}
	wanted := map[string]bool{}
	for _, name := range names {
		name = strings.TrimSpace(name)
		if !slices.Contains(a.familyNames(), name) {
			return nil, misused("unknown family %q; there are %s", name, strings.Join(a.familyNames(), ", "))
		}
		wanted[name] = true
	}
	var chosen []family
	for _, f := range a.families {
		if wanted[f.name] {
			chosen = append(chosen, f)
		}
	}
	return chosen, nil
}

// dataDir is the data folder: the flag's, else the environment's, else the
// one that the XDG base directory specification gives. It need not exist.
func (a *app) dataDir() (string, error) {
	if dir := cmp.Or(a.flags.data, a.getenv("TRIPTYCH_DATA")); dir != "" {
		return filepath.Abs(dir)
	}
	if xdg := a.getenv("XDG_DATA_HOME"); filepath.IsAbs(xdg) { // the specification ignores relative ones
		return filepath.Join(xdg, "triptych"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", hinted(fmt.Errorf("finding the data folder: %w", err), "name one with --data or TRIPTYCH_DATA")
	}
	return filepath.Join(home, ".local", "share", "triptych"), nil
}

// logger writes to standard error from the level of --log-level or LOG_LEVEL
// on, else from the usual one.
func (a *app) logger(usual slog.Level) (*slog.Logger, error) {
	level, err := parseLevel(a.flags.logLevel, "--log-level", usual)
	if err == nil && a.flags.logLevel == "" {
		level, err = parseLevel(a.getenv("LOG_LEVEL"), "LOG_LEVEL", usual)
	}
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level})), err
}

var levels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "warning": slog.LevelWarn, "error": slog.LevelError,
}

// parseLevel reads a level; where names it for people.
func parseLevel(text, where string, usual slog.Level) (slog.Level, error) {
	if text == "" {
		return usual, nil
	}
	level, ok := levels[strings.ToLower(text)]
	if !ok {
		return usual, misused("%s is %q, want debug, info, warn or error", where, text)
	}
	return level, nil
}

// env returns the environment of the families.
func (a *app) env(usual slog.Level) (mcp.Env, error) {
	data, err := a.dataDir()
	if err != nil {
		return mcp.Env{}, err
	}
	logger, err := a.logger(usual)
	return mcp.Env{Logger: logger, Now: a.now, Data: data, Store: a.storeURL(), Getenv: a.getenv}, err
}

// toolNames returns the names by which tools are listed.
func (a *app) toolNames() (mcp.ToolNames, error) {
	switch text := cmp.Or(a.flags.toolNames, a.getenv("TRIPTYCH_TOOL_NAMES")); text {
	case "":
		return mcp.NamesByRevision, nil
	case "documented":
		return mcp.DocumentedToolNames, nil
	case "portable":
		return mcp.PortableToolNames, nil
	default:
		return 0, misused("--tool-names is %q, want documented or portable", text)
	}
}

// lend gives the debugger the trail and the accounts, nil for those of a local
// user.
func (a *app) lend(r *recorder, all *accounts) {
	if r.trail != nil {
		a.configs.debugger.Trail = trail{r}
	}
	if all != nil {
		a.configs.debugger.Accounts = all
	}
}

// openServer opens the chosen families and makes a server of them, which tells
// the recorder of each request; nil records nothing. Close it.
func (a *app) openServer(ctx context.Context, env mcp.Env, r *recorder, options ...func(*mcp.Config)) (*mcp.Server, error) {
	chosen, err := a.chosen()
	if err != nil {
		return nil, err
	}
	names, err := a.toolNames()
	if err != nil {
		return nil, err
	}
	tables, err := openTables(ctx, chosen, env)
	if err != nil {
		return nil, err
	}
	selection, err := a.toolSelection(tables)
	if err != nil {
		return nil, errors.Join(err, closeTables(tables))
	}
	outputs, err := a.outputSchemas()
	if err != nil {
		return nil, errors.Join(err, closeTables(tables))
	}
	cfg := mcp.Config{
		Name: "triptych", Title: "Triptych", Version: readBuild().Version, ToolNames: names, Logger: env.Logger,
		Tools: selection, OutputSchemas: outputs,
		Oversize: answers.New(filepath.Join(env.Data, "answers"), env.Now),
	}
	if r != nil {
		cfg.Observe = r.observe
	}
	for _, set := range options {
		set(&cfg)
	}
	return mcp.New(cfg, tables...)
}

// openTables opens families; when one fails, those that were opened are
// closed again.
func openTables(ctx context.Context, families []family, env mcp.Env) ([]*mcp.Table, error) {
	var tables []*mcp.Table
	for _, f := range families {
		one := env
		one.Logger = env.Logger.With("family", f.name)
		table, err := f.config.Open(ctx, one)
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

// serves reports whether a family is among those of --families.
func (a *app) serves(name string) bool {
	chosen, err := a.chosen()
	return err == nil && slices.ContainsFunc(chosen, func(f family) bool { return f.name == name })
}
