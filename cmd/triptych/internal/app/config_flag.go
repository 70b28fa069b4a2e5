package app

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/configfile"
)

// ConfigFlag registers the flag of a command that takes a configuration file.
func (a *App) ConfigFlag(set *pflag.FlagSet) { command.ConfigFlag(set, &a.Flags.config) }

// configPath is the configuration file that the flag or the environment names, ""
// for none.
func (a *App) configPath() string {
	return cmp.Or(a.Flags.config, a.Getenv("TRIPTYCH_CONFIG"))
}

// ReadConfigFile sets the flags of a command that neither its command line nor the
// environment has set.
func (a *App) ReadConfigFile(set *pflag.FlagSet) error {
	file := a.configPath()
	if file == "" {
		return nil
	}
	settings, err := configfile.Read(file)
	if err == nil {
		formatFirst(settings)
		err = configfile.Apply(file, settings, set, a.Getenv)
	}
	if err != nil {
		return cmderr.WithHints(fmt.Errorf("the configuration file: %w", err), "triptych config-file print shows every key")
	}
	return nil
}

// formatFirst puts the format of the log before the other settings, so that an error in
// one of them has this format.
func formatFirst(settings []configfile.Setting) {
	slices.SortStableFunc(settings, func(a, b configfile.Setting) int {
		return cmp.Compare(rank(a), rank(b))
	})
}

func rank(s configfile.Setting) int {
	if s.Flag == "log-format" {
		return 0
	}
	return 1
}
