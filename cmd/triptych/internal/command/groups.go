package command

import "github.com/spf13/pflag"

// The groups of settings, as triptych help settings lists them.
const (
	GroupData     = "data and log"
	GroupStore    = "store"
	GroupRemote   = "connection"
	GroupTools    = "tools"
	GroupRulesets = "rulesets"
	GroupAoC      = "aoc"
	GroupDebugger = "debugger"
	GroupAudit    = "audit trail"
	GroupServer   = "server"
	GroupLimits   = "limits of the server"
	GroupLogin    = "logins"
)

// Groups are the groups in their order.
var Groups = []string{
	GroupData, GroupStore, GroupRemote, GroupTools, GroupRulesets, GroupAoC, GroupDebugger, GroupAudit,
	GroupServer, GroupLogin, GroupLimits,
}

// JSONFlag is the flag of every command that lists.
func JSONFlag(set *pflag.FlagSet, asJSON *bool) {
	set.BoolVar(asJSON, "json", false, "print JSON")
}

// ConfigFlag registers the flag of a command that takes a configuration file.
func ConfigFlag(set *pflag.FlagSet, file *string) {
	InGroup(set, GroupData, func(set *pflag.FlagSet) {
		set.StringVar(file, "config", "", "read settings from this YAML `file` (TRIPTYCH_CONFIG)\n"+
			"Its keys are names of flags; triptych config-file print shows all.")
	})
}
