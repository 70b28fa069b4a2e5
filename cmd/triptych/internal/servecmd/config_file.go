package servecmd

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/configfile"
)

// ConfigFileCommand returns the row of triptych config-file.
func ConfigFileCommand(a *app.App) command.Command { return newCommands(a).configFileCommand() }

// configFileCommand shows and checks configuration files of triptych serve.
func (a commands) configFileCommand() command.Command {
	return command.Command{
		Name:  "config-file",
		Short: "print or check a configuration file of the server",
		Sub:   []command.Command{a.configFilePrint(), a.configFileValidate()},
	}
}

func (a commands) configFilePrint() command.Command {
	var f serveFlags
	var set *pflag.FlagSet
	return command.Command{
		Name: "print", Config: true, Echoes: true,
		Short: "print the settings of a server as a configuration file",
		Long: "Prints every key of triptych serve with the value that it would have: from this\n" +
			"command line, the environment, the configuration file, or by default. Keys at\n" +
			"their default are comments.",
		Example: "triptych config-file print > triptych.yaml\ntriptych config-file print --config triptych.yaml --listen :443",
		Flags: func(flags *pflag.FlagSet) {
			f.register(flags)
			a.app.ServerFlags(flags)
			set = flags
		},
		Run: func(context.Context, []string) error { return a.printConfigFile(set) },
	}
}

func (a commands) printConfigFile(set *pflag.FlagSet) error {
	var out strings.Builder
	var err error
	set.VisitAll(func(flag *pflag.Flag) {
		if flag.Name == "config" || flag.Name == "help" || err != nil {
			return
		}
		var value string
		variable := configfile.FromEnvironment(flag, a.app.Getenv)
		if value, err = yamlValue(flag, variable); err != nil {
			return
		}
		described := command.Describe(flag)
		fmt.Fprintf(&out, "# %s\n", described.Explanation())
		if flag.Value.String() == flag.DefValue && variable == "" {
			out.WriteString("#")
		}
		fmt.Fprintf(&out, "%s: %s\n\n", flag.Name, value)
	})
	if err != nil {
		return err
	}
	return a.Printf("%s\n", strings.TrimSpace(out.String()))
}

// yamlValue writes the value of a flag, or that of its environment variable, in one
// line. Passwords in URLs are left out.
func yamlValue(flag *pflag.Flag, variable string) (string, error) {
	var value any = flag.Value.String()
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		value = list.GetSlice()
	}
	if variable != "" && !flag.Changed {
		value = variable
	}
	if text, ok := value.(string); ok && strings.Contains(text, "://") {
		if u, err := url.Parse(text); err == nil {
			value = u.Redacted()
		}
	}
	node := new(yaml.Node)
	if err := node.Encode(value); err != nil {
		return "", err
	}
	node.Style = yaml.FlowStyle
	if flag.Value.Type() != "string" && node.Kind == yaml.ScalarNode {
		node.Tag, node.Style = "", 0
		return node.Value, nil
	}
	text, err := yaml.Marshal(node)
	return strings.TrimSpace(string(text)), err
}

func (a commands) configFileValidate() command.Command {
	var f serveFlags
	return command.Command{
		Name: "validate", Args: "FILE", Min: 1, Max: 1,
		Short:   "check a configuration file of triptych serve",
		Example: "triptych config-file validate /etc/triptych/triptych.yaml",
		Run: func(_ context.Context, args []string) error {
			set := pflag.NewFlagSet("serve", pflag.ContinueOnError)
			f.register(set)
			a.app.ServerFlags(set)
			settings, err := configfile.Read(args[0])
			if err == nil {
				err = configfile.Apply(args[0], settings, set, func(string) string { return "" })
			}
			if err != nil {
				return err
			}
			if _, err := f.check(); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if _, err := a.app.ChosenFamilies(); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return a.Printf("%s: %d settings, all known\n", args[0], len(settings))
		},
	}
}
