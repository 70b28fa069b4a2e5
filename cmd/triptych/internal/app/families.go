package app

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/console"
	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets"
)

// A familyConfig is the interface of a family of tools to the program: its flags,
// and the table that it serves.
type familyConfig interface {
	RegisterFlags(*pflag.FlagSet)
	// Scopes returns the scopes of the table, which need not be open.
	Scopes() []host.Scope
	// Tools returns the tools of the table, which need not be open.
	Tools() []mcp.Tool
	Open(context.Context, host.Env) (*mcp.Table, error)
}

// A Family is a family of tools.
type Family struct {
	Name   string
	About  string // one line for help
	Empty  string // what to do when it has no resources yet
	stored bool   // its data is in the store of the program
	Config familyConfig
}

// newFamilies is the list of families. A new family is one row here.
func newFamilies(known *configs) []Family {
	return []Family{
		{
			Name: "rulesets", About: "named Markdown texts for AI editors",
			Empty: "triptych rulesets create makes the first", stored: true, Config: known.Rulesets,
		},
		{
			Name: "aoc", About: "Advent of Code puzzles and solving speeds",
			Empty: "put Day01_phase1.md into aoc/instructions of the data folder", Config: known.AoC,
		},
		{Name: "debugger", About: "a debugger of Linux processes, XML documents, accounts and the audit trail", Config: known.Debugger},
	}
}

// configs are the configurations of families that have commands of their own, or
// that need something of the program.
type configs struct {
	Rulesets *rulesets.Config
	AoC      *aoc.Config
	Debugger *debugger.Config
}

// KeyScopes returns the scopes that a key may have.
func (a *App) KeyScopes() []host.Scope { return append(a.Scopes(), console.AdminScope) }

// Scopes returns the scopes of all families, which a key has by default, whichever
// families a server opens. The right to make keys is given by name only.
func (a *App) Scopes() []host.Scope {
	var all []host.Scope
	for _, f := range a.Families {
		all = append(all, f.Config.Scopes()...)
	}
	return all
}

// elsewhere returns a function that says in which family a tool is that the chosen ones do
// not have, "" if it is in none. It reads the tables of the others when it is first called.
func (a *App) elsewhere(chosen []Family) func(tool string) string {
	spelled := func(name string) string { return strings.ReplaceAll(name, "/", "_") }
	families := sync.OnceValue(func() map[string]string {
		known := map[string]string{}
		for _, f := range a.Families {
			if slices.ContainsFunc(chosen, func(open Family) bool { return open.Name == f.Name }) {
				continue
			}
			for _, tool := range f.Config.Tools() {
				known[spelled(tool.Name)] = f.Name
			}
		}
		return known
	})
	return func(tool string) string {
		if family := families()[spelled(tool)]; family != "" {
			return "the tool is in the family " + family + ", which is not open here: add it to --families"
		}
		return ""
	}
}

const DocumentsWord = "__documents"

// newDebugger is the family whose documents are read by this program in another
// process; in this one where it cannot be found.
func newDebugger() *debugger.Config {
	config := new(debugger.Config)
	if self, err := os.Executable(); err == nil {
		config.Documents.Command = []string{self, DocumentsWord}
	}
	return config
}
