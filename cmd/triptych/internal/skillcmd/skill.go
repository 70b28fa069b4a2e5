// Package skillcmd has the commands that install the skills which come with the
// program into the folders of editors.
package skillcmd

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/mcp/skill"
	"github.com/triptych-mcp/triptych/rulesets/editors"
)

// usual are the clients whose folders others read, too.
var usual = []string{"agents", "claude"}

// clients are the names of the clients that know skills.
func clients() (names []string) {
	for _, c := range editors.Clients {
		if len(c.Skills) > 0 {
			names = append(names, c.Name)
		}
	}
	return names
}

// SkillCommand returns the row of triptych skill.
func SkillCommand(a *app.App) command.Command {
	return command.Command{
		Name: "skill", Short: "install the skills that come with triptych into editors",
		Long: "A skill teaches a model a manner of work. debug-backwards teaches how to find the\n" +
			"cause of a failure in a recorded past. A server offers the skills to clients that\n" +
			"ask for them; other editors read them from folders.",
		Sub: []command.Command{
			{Name: "list", Short: "list the skills", Run: func(context.Context, []string) error { return list(a.IO) }},
			{
				Name: "show", Args: "NAME", Min: 1, Max: 1, Short: "print the text of a skill",
				Complete: func(context.Context, []string) []string { return names() },
				Run:      func(_ context.Context, args []string) error { return show(a.IO, args[0]) },
			},
			changeCommand(a.IO, "install", "install the skills", (*folder).installation),
			changeCommand(a.IO, "uninstall", "remove the skills", (*folder).uninstallation),
		},
	}
}

// flags are the flags of install and uninstall.
type flags struct {
	scope, dir    string
	dryRun, force bool
}

// changeCommand returns the row of a command that changes folders.
func changeCommand(out *cmdio.IO, name, short string, plan func(*folder, bool) ([]change, error)) command.Command {
	var f flags
	return command.Command{
		Name: name, Args: "[CLIENT...]", Max: command.AnyNumber, Short: short,
		Long: "Without clients the folders .agents/skills and .claude/skills are meant, which most\n" +
			"editors read. Clients: " + strings.Join(clients(), ", ") + ".\n\n" +
			"Files that were changed by hand are left as they are, and the command fails, unless\n" +
			"there is --force.",
		Example: "triptych skill " + name + " --dry-run\ntriptych skill " + name + " claude --scope user",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&f.scope, "scope", "project", "the `scope` of the folders: project (this folder) or user")
			set.StringVar(&f.dir, "dir", "", "instead of clients: this `folder` of skills")
			set.BoolVar(&f.dryRun, "dry-run", false, "only print what would be done")
			set.BoolVar(&f.force, "force", false, "also overwrite or remove files that were changed by hand")
		},
		Complete: func(context.Context, []string) []string { return clients() },
		Run: func(_ context.Context, args []string) error {
			dirs, err := folders(args, f)
			if err != nil {
				return err
			}
			return changeAll(out, dirs, f, plan)
		},
	}
}

// folders returns the folders of skills that the arguments name.
func folders(args []string, f flags) ([]string, error) {
	if f.dir != "" {
		if len(args) > 0 {
			return nil, cmderr.UsageErrorf("give either clients or --dir")
		}
		return []string{f.dir}, nil
	}
	root := "."
	switch f.scope {
	case "project":
	case "user":
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		root = home
	default:
		return nil, cmderr.UsageErrorf("there is no scope %q; use project or user", f.scope)
	}
	if len(args) == 0 {
		args = usual
	}
	var dirs []string
	for _, name := range args {
		i := slices.IndexFunc(editors.Clients, func(c editors.Client) bool { return c.Name == name && len(c.Skills) > 0 })
		if i < 0 {
			return nil, cmderr.UsageErrorf("no client %q is known to read skills; known: %s", name, strings.Join(clients(), ", "))
		}
		dirs = append(dirs, filepath.Join(root, filepath.FromSlash(editors.Clients[i].Skills[0])))
	}
	return slices.Compact(dirs), nil
}

// changeAll changes all skills in all folders, and fails if a file was left.
func changeAll(out *cmdio.IO, dirs []string, f flags, plan func(*folder, bool) ([]change, error)) error {
	left := 0
	for _, dir := range dirs {
		for _, name := range names() {
			in, err := newFolder(debugger.Skills(), name, dir)
			if err != nil {
				return err
			}
			changes, err := plan(in, f.force)
			if err != nil {
				return err
			}
			for _, each := range changes {
				if each.action == refuse {
					left++
				}
				if err := out.Printf("%s: %s\n", filepath.Join(in.dir, filepath.FromSlash(each.name)), each.action); err != nil {
					return err
				}
			}
			if f.dryRun {
				continue
			}
			if err := in.apply(changes); err != nil {
				return err
			}
		}
	}
	if left > 0 {
		return cmderr.WithHints(fmt.Errorf("%d files were changed by hand", left), "see how they differ, or use --force")
	}
	return nil
}

// names returns the names of the skills.
func names() (all []string) {
	entries, _ := fs.ReadDir(debugger.Skills(), ".") // it is embedded
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// list prints the skills with their descriptions.
func list(out *cmdio.IO) error {
	for _, name := range names() {
		text, err := fs.ReadFile(debugger.Skills(), name+"/"+skill.MainFile)
		if err != nil {
			return err
		}
		_, rest, _ := strings.Cut(string(text), "\ndescription: ")
		description, _, _ := strings.Cut(rest, "\n")
		if err := out.Printf("%s  %s\n", name, description); err != nil {
			return err
		}
	}
	return nil
}

// show prints the main file of a skill.
func show(out *cmdio.IO, name string) error {
	if !slices.Contains(names(), name) {
		return cmderr.UsageErrorf("there is no skill %q; there is %s", name, strings.Join(names(), ", "))
	}
	text, err := fs.ReadFile(debugger.Skills(), name+"/"+skill.MainFile)
	if err != nil {
		return err
	}
	return out.Printf("%s", text)
}
