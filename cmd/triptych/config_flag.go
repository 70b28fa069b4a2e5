package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/configfile"
)

// configFlag registers the flag of a command that takes a configuration file.
func (a *app) configFlag(set *pflag.FlagSet) {
	set.StringVar(&a.flags.config, "config", "", "read settings from this YAML `file`, whose keys are names of these flags (TRIPTYCH_CONFIG)")
}

// configPath is the configuration file that the flag or the environment names, ""
// for none.
func (a *app) configPath() string {
	return cmp.Or(a.flags.config, a.getenv("TRIPTYCH_CONFIG"))
}

// readConfigFile sets the flags of a command that neither its command line nor the
// environment has set.
func (a *app) readConfigFile(set *pflag.FlagSet) error {
	file := a.configPath()
	if file == "" {
		return nil
	}
	settings, err := configfile.Read(file)
	if err == nil {
		err = configfile.Apply(file, settings, set, a.getenv)
	}
	if err != nil {
		return hinted(fmt.Errorf("the configuration file: %w", err), "triptych config-file print shows every key")
	}
	return nil
}
