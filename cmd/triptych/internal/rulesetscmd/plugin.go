package rulesetscmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/project"
)

// PluginCommand returns the row of triptych plugin.
func PluginCommand(a *app.App) command.Command { return newCommands(a).pluginCommand() }

func (a commands) pluginCommand() command.Command {
	return command.Command{Name: "plugin", Short: "package rulesets for editors and assistants", Sub: []command.Command{a.pluginBuild()}}
}

// pluginBuild is a pull of one target, with the settings of a plugin as flags.
func (a commands) pluginBuild() command.Command {
	var (
		given    project.Plugin
		noServer bool
		patterns []string
		flags    *pflag.FlagSet
	)
	change := func(p *project.Plugin) {
		for name, set := range map[string]func(){
			"name":        func() { p.Name = given.Name },
			"version":     func() { p.Version = given.Version },
			"description": func() { p.Description = given.Description },
			"server":      func() { p.Server = given.Server },
			"claude":      func() { p.Claude = given.Claude },
		} {
			if flags.Changed(name) {
				set()
			}
		}
		if noServer {
			p.Server = project.NoServer
		}
	}
	return command.Command{
		Name: "build", Args: "DIR", Min: 1, Max: 1,
		Short: "write an Agent Plugin with the rulesets as skills, and this server",
		Long: "DIR gets plugin.json, skills/ and mcp.json, in the form of Agent Plugins 1.0. Every\n" +
			"ruleset that can be a skill becomes one, with its files. The server is triptych as\n" +
			"a program, or with --server a URL; a key is never written: the client asks for it.\n" +
			"It is `triptych rulesets pull --dir DIR --target plugin`, which keeps what was changed\n" +
			"by hand, with the flags written to " + project.SelectionFile + " in DIR.",
		Example: "triptych plugin build ./acme-rules --server https://rules.example.com/mcp --claude",
		Flags: func(set *pflag.FlagSet) {
			flags = set
			set.StringVar(&given.Name, "name", "", "the plugin's `name`; without it that of DIR")
			set.StringVar(&given.Version, "version", "", "its `version`; without it 1.0.N, where N grows with each change")
			set.StringVarP(&given.Description, "description", "d", "", "what it is for, one `line`")
			set.StringSliceVar(&patterns, "select", nil, "only rulesets whose names match these `patterns`")
			set.StringVar(&given.Server, "server", "", "the server's `URL`, such as https://rules.example.com/mcp")
			set.BoolVar(&noServer, "no-server", false, "write skills only")
			set.BoolVar(&given.Claude, "claude", false, "also write .claude-plugin/ and .mcp.json for Claude Code")
			a.readingFlags(set)
		},
		Run: func(ctx context.Context, args []string) error {
			if noServer && given.Server != "" {
				return cmderr.UsageErrorf("give --server or --no-server, not both")
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			return a.buildPlugin(ctx, args[0], change, patterns)
		},
	}
}

func (a commands) buildPlugin(ctx context.Context, dir string, change func(*project.Plugin), patterns []string) error {
	f := pullFlags{projectFlags: projectFlags{dir: dir, targets: []string{editors.PluginTarget}}}
	return a.withProject(ctx, &f.projectFlags, func(r *projectRun) error {
		if err := r.project.SetPlugin(change, patterns); err != nil {
			return cmderr.UsageErrorf("%v", err)
		}
		f.targets = nil // the selection file has the target
		if err := r.pull(ctx, &f); err != nil {
			return cmderr.WithHints(err, "triptych rulesets pull --dir "+dir+" has the flags for that")
		}
		if !app.FileExists(filepath.Join(dir, "plugin.json")) {
			return errors.New("no ruleset can be a skill of the plugin")
		}
		return nil
	})
}
