package debugcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/mcp/client"
)

// bugsFlags are the flags of triptych bugs.
type bugsFlags struct {
	patch, at, pattern string
	most               int
	index, asJSON      bool
}

// BugsCommand returns the row of triptych bugs.
func BugsCommand(a *app.App) command.Command { return newCommands(a).bugsCommand() }

func (a commands) bugsCommand() command.Command {
	var f bugsFlags
	return command.Command{
		Name: "bugs", Args: "[DIR]", Max: 1,
		Short: "find the places that a fix forgot",
		Long: "Searches the source code below DIR, the working directory without it. With --patch\n" +
			"it finds code that has what a patch removes and lacks what it adds; the patch is a\n" +
			"file, - for standard input, or a commit of the git repository in DIR. With --at it\n" +
			"finds code like a line, and with --pattern code with holes: $x stands for the same\n" +
			"expression everywhere, … for other code. docs/similar-bugs.md says more.",
		Example: "triptych bugs --patch HEAD\ngit diff | triptych bugs --patch -\ntriptych bugs --at src/parser.c:142 src\n" +
			"triptych bugs --pattern 'free($x); … use($x)'",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&f.patch, "patch", "", "the `file` of a unified diff, or a commit")
			set.StringVar(&f.at, "at", "", "the `place` FILE:LINE")
			set.StringVar(&f.pattern, "pattern", "", "`code` with holes")
			set.IntVar(&f.most, "max", 10, "show at most so many `places`")
			a.app.DataFlags(set) // as all commands of the debugger have
			set.BoolVar(&f.index, "index", false, "store in the data folder what was read, for later searches")
			command.JSONFlag(set, &f.asJSON)
		},
		Run: func(ctx context.Context, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			return a.findBugs(ctx, dir, f)
		},
	}
}

func (a commands) findBugs(ctx context.Context, dir string, f bugsFlags) (err error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	arguments := map[string]any{"search_path": root, "max_results": f.most}
	switch {
	case given(f.patch)+given(f.at)+given(f.pattern) != 1:
		return cmderr.UsageErrorf("give --patch, --at or --pattern")
	case f.pattern != "":
		arguments["pattern"] = f.pattern
	case f.patch != "":
		patch, err := patchText(ctx, a.IO, root, f.patch)
		if err != nil {
			return err
		}
		if strings.TrimSpace(patch) == "" {
			return fmt.Errorf("%s changes nothing", f.patch)
		}
		arguments["patch"] = patch
	default:
		file, line, _ := strings.Cut(f.at, ":")
		number, err := strconv.Atoi(line)
		if err != nil || number < 1 {
			return cmderr.UsageErrorf("--at %s is not FILE:LINE", f.at)
		}
		if arguments["file"], err = filepath.Abs(file); err != nil {
			return err
		}
		arguments["line"] = number
	}
	one := a.app.Only("debugger")
	one.Configs.Debugger.Projects = debugger.Projects{root}
	one.Configs.Debugger.IndexProjects = f.index
	c, err := one.Converse(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	found, err := c.Client.CallTool(ctx, "debugger/find_similar_bugs", arguments)
	if err != nil {
		return err
	}
	return printBugs(a.IO, found, f.asJSON)
}

// given returns 1 for a flag with a value, else 0.
func given(value string) int { return min(1, len(value)) }

// maxPatch limits the bytes of a patch from standard input.
const maxPatch = 8 << 20

// patchText returns the text of a patch: of a file, of standard input, or of a commit.
func patchText(ctx context.Context, std *cmdio.IO, root, word string) (string, error) {
	if word == "-" {
		text, err := io.ReadAll(io.LimitReader(std.In, maxPatch))
		return string(text), err
	}
	text, err := os.ReadFile(word)
	if err == nil || !errors.Is(err, os.ErrNotExist) {
		return string(text), err
	}
	cmd := exec.CommandContext(ctx, "git", "-C", root, "show", "--format=", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames",
		"--relative", "-U5", "--end-of-options", word, "--")
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return "", cmderr.WithHints(fmt.Errorf("%s is no file, and git knows no such commit: %s", word, strings.TrimSpace(complaint.String())),
			"git log shows the commits")
	}
	return string(out), nil
}

// unlikely returns what is printed of a finding of which fewer than one in five are right.
func unlikely(confidence int) string {
	if confidence < 20 {
		return ", less likely"
	}
	return ""
}

// structuredOf returns the data of a tool's result. A result that is an error is returned as
// one, with its text.
func structuredOf(r *client.Result) (json.RawMessage, error) {
	if r.IsError {
		return nil, errors.New(r.Text())
	}
	return r.Structured, nil
}

func printBugs(out *cmdio.IO, found *client.Result, asJSON bool) error {
	structured, err := structuredOf(found)
	if err != nil {
		return err
	}
	if asJSON {
		return out.PrintJSON(structured)
	}
	var report struct {
		Findings []struct {
			File, Function, Reason, Excerpt string
			Line, Confidence                int
		}
		More     int
		Files    int
		Complete bool
	}
	if err := json.Unmarshal(structured, &report); err != nil {
		return err
	}
	for _, f := range report.Findings {
		in := ""
		if f.Function != "" {
			in = " in " + f.Function
		}
		if err := out.Printf("%s:%d%s (%d%%%s): %s\n%s\n", f.File, f.Line, in, f.Confidence, unlikely(f.Confidence), f.Reason, f.Excerpt); err != nil {
			return err
		}
	}
	rest := ""
	if report.More > 0 {
		rest = fmt.Sprintf("; %d more match", report.More)
	}
	if !report.Complete {
		rest += "; not all files were read in time"
	}
	return out.Printf("%s in %s%s\n", cmdio.Counted(len(report.Findings), "place"), cmdio.Counted(report.Files, "file"), rest)
}
