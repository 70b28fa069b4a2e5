package setupcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/clients"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// A finding is the outcome of one check.
type finding struct {
	Check  string `json:"check"`
	Status status `json:"status"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

// A status is the result of a check. A warning does not make doctor fail.
type status string

const (
	good    status = "ok"
	warning status = "warning"
	failed  status = "failed"
)

// DoctorCommand returns the row of triptych doctor.
func DoctorCommand(a *app.App) command.Command { return newCommands(a).doctorCommand() }

func (a commands) doctorCommand() command.Command {
	var asJSON bool
	var set *pflag.FlagSet
	return command.Command{
		Name:     "doctor",
		KeepUser: true,
		Short:    "check that everything works here",
		Long: "Checks the data folder, the log level, each family and its store, starts a\n" +
			"server over standard input and output as an editor would, and looks at the\n" +
			"configuration files of the known clients. With --url it plays the first requests\n" +
			"of each known host, such as Claude Code or VS Code, against a server instead, and\n" +
			"says what its user would see and what to do. It also goes the way of a login up to\n" +
			"the page that asks the person; at a server that takes no metadata documents of\n" +
			"clients, it registers as each host.",
		Example: "triptych doctor\ntriptych doctor --url https://rules.example.com/mcp --key-file key.txt",
		Flags: func(s *pflag.FlagSet) {
			set = s
			command.JSONFlag(s, &asJSON)
			a.app.ServerFlags(s)
			a.app.RemoteFlags(s)
		},
		Run: func(ctx context.Context, _ []string) error {
			if a.app.Flags.Remote.URL != "" {
				return a.visit(ctx, asJSON)
			}
			return tell(a.IO, a.examine(ctx, set), asJSON)
		},
	}
}

// examine runs all checks, in the order in which one problem explains the next.
func (a commands) examine(ctx context.Context, set *pflag.FlagSet) []finding {
	findings := []finding{a.checkData(), a.checkLogLevel()}
	findings = append(findings, a.checkFirstKey()...)
	a.app = a.app.Quiet() // what is wrong is a finding
	findings = append(findings, a.checkFamilies(ctx)...)
	findings = append(findings, a.checkMachine()...)
	findings = append(findings, a.checkRulesetFiles(ctx)...)
	findings = append(findings, a.checkReviews(ctx)...)
	findings = append(findings, a.checkStore(ctx)...)
	findings = append(findings, a.checkTrail(ctx)...)
	findings = append(findings, checkServer(ctx, set))
	return append(findings, a.checkClients()...)
}

// tell prints the findings; a failed one is the exit status.
func tell(out *cmdio.IO, findings []finding, asJSON bool) error {
	healthy := true
	for _, f := range findings {
		healthy = healthy && f.Status != failed
	}
	var err error
	if asJSON {
		err = out.PrintJSON(map[string]any{"healthy": healthy, "findings": findings})
	} else {
		err = printFindings(out, findings)
	}
	if err == nil && !healthy {
		err = errors.New("doctor found problems")
	}
	return err
}

func printFindings(out *cmdio.IO, findings []finding) error {
	for _, f := range findings {
		text := fmt.Sprintf("%-8s %s: %s", f.Status, f.Check, plain.Line(f.Detail))
		if f.Hint != "" {
			text += "\n         " + f.Hint
		}
		if err := out.Printf("%s\n", text); err != nil {
			return err
		}
	}
	return nil
}

func failure(check string, err error) finding {
	f := finding{Check: check, Status: failed, Detail: err.Error()}
	if h, ok := errors.AsType[*cmderr.HintError](err); ok {
		f.Hint = strings.Join(h.Hints, "; ")
	}
	return f
}

// checkData looks whether files can be made in the data folder.
func (a commands) checkData() finding {
	const check = "data folder"
	dir, err := a.app.DataDir()
	if err != nil {
		return failure(check, err)
	}
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return finding{check, good, dir + " is made when it is needed", ""}
	}
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a folder", dir)
	}
	if err == nil {
		err = tryWriting(dir)
	}
	if err != nil {
		return failure(check, cmderr.WithHints(err, "choose another with --data or TRIPTYCH_DATA"))
	}
	if info.Mode().Perm()&0o002 != 0 {
		return finding{check, warning, dir + " may be written by everybody", "chmod o-w " + dir}
	}
	return finding{check, good, dir, ""}
}

// checkFirstKey looks whether the first key is still in its file, where a copy of the folder
// has it, too.
func (a commands) checkFirstKey() []finding {
	dir, err := a.app.DataDir()
	if err != nil {
		return nil // checkData reports it
	}
	file := app.FirstKeyFile(dir)
	if _, err := os.Lstat(file); err != nil {
		return nil
	}
	return []finding{{"first key", warning, "it is still in " + file, "triptych key first prints it and removes the file"}}
}

func tryWriting(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func (a commands) checkLogLevel() finding {
	logger, err := a.app.Logger(slog.LevelInfo)
	if err != nil {
		return failure("log level", err)
	}
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn} {
		if logger.Enabled(context.Background(), level) {
			return finding{"log level", good, strings.ToLower(level.String()), ""}
		}
	}
	return finding{"log level", good, "error", ""}
}

// checkFamilies opens each family by itself and counts what it serves.
func (a commands) checkFamilies(ctx context.Context) []finding {
	chosen, err := a.app.ChosenFamilies()
	if err != nil {
		return []finding{failure("families", err)}
	}
	var findings []finding
	for _, f := range chosen {
		findings = append(findings, a.checkFamily(ctx, f))
	}
	return findings
}

func (a commands) checkFamily(ctx context.Context, f app.Family) finding {
	c, err := a.app.Only(f.Name).Converse(ctx)
	if err != nil {
		return failure(f.Name, err)
	}
	tools, err := c.Tools(ctx)
	resources, resourcesErr := c.CountResources(ctx)
	if err := errors.Join(err, resourcesErr, c.Close()); err != nil {
		return failure(f.Name, err)
	}
	hint := ""
	if resources == 0 {
		hint = f.Empty
	}
	return finding{f.Name, good, cmdio.Counted(len(tools), "tool") + ", " + cmdio.Counted(resources, "resource"), hint}
}

// checkMachine lists what the debugger misses on this machine.
func (a commands) checkMachine() []finding {
	chosen, err := a.app.ChosenFamilies()
	if err != nil || !slices.ContainsFunc(chosen, func(f app.Family) bool { return f.Name == "debugger" }) {
		return nil // checkFamilies reports the error
	}
	return lacking(debugger.Lacks())
}

func lacking(lacks []debugger.Lack) []finding {
	var findings []finding
	for _, l := range lacks {
		findings = append(findings, finding{"debugger", warning, "this machine lacks " + l.Feature, l.Cost})
	}
	return findings
}

// checkClients looks at the files that mention us.
func (a commands) checkClients() []finding {
	where, err := a.where()
	if err != nil {
		return []finding{failure("clients", err)}
	}
	var findings []finding
	for _, c := range clients.All() {
		for _, scope := range c.Scopes() {
			path, err := c.Path(scope, where)
			if err != nil {
				continue // not on this system
			}
			if f, worth := checkClient(c, path); worth {
				findings = append(findings, f)
			}
		}
	}
	if len(findings) == 0 {
		return []finding{{"clients", good, "none is configured", "triptych config lists them"}}
	}
	return findings
}

// checkClient reports on a file that mentions us or cannot be read.
func checkClient(c clients.Client, path string) (finding, bool) {
	text, err := clients.Read(path)
	if err != nil {
		return finding{c.Name, warning, err.Error(), ""}, true
	}
	command, err := c.Command(text, "triptych")
	switch {
	case err != nil:
		return finding{c.Name, warning, path + ": " + err.Error(), c.Title + " may ignore the whole file"}, true
	case command == "":
		url, err := c.URL(text, "triptych")
		return finding{c.Name, good, fmt.Sprintf("%s connects to %s", path, url), ""}, err == nil && url != ""
	}
	if filepath.IsAbs(command) {
		if info, err := os.Stat(command); err != nil || info.Mode()&0o111 == 0 {
			return finding{c.Name, warning, fmt.Sprintf("%s starts %s, which is no program", path, command), "triptych config " + c.Name + " --write"}, true
		}
	}
	return finding{c.Name, good, fmt.Sprintf("%s starts %s", path, command), ""}, true
}

// serverDeadline limits the time in which a server must start and answer twice.
const serverDeadline = 10 * time.Second

// checkServer starts this program as an editor would.
func checkServer(ctx context.Context, set *pflag.FlagSet) finding {
	const check = "server"
	ctx, cancel := context.WithTimeout(ctx, serverDeadline)
	defer cancel()
	start := time.Now()
	tools, err := spawnAndList(ctx, set)
	if err != nil {
		return failure(check, err)
	}
	return finding{check, good, fmt.Sprintf("started over standard input and output, %s after %d ms", cmdio.Counted(tools, "tool"), time.Since(start).Milliseconds()), ""}
}
