package main

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets"
)

// A familyConfig is what the program needs of a family of tools: its flags,
// and the table that it serves.
type familyConfig interface {
	RegisterFlags(*pflag.FlagSet)
	Open(context.Context, mcp.Env) (*mcp.Table, error)
}

type family struct {
	name   string
	about  string // one line for help
	empty  string // what to do when it has no resources yet
	config familyConfig
}

// newFamilies is the list of families. A new family is one line here.
func newFamilies() []family {
	return []family{
		{"rulesets", "named Markdown texts for AI editors", "triptych rulesets create makes the first", new(rulesets.Config)},
		{"aoc", "Advent of Code puzzles and solving speeds", "put Day01_phase1.md into aoc/instructions of the data folder", new(aoc.Config)},
		{"debugger", "a debugger of Linux processes, XML documents, accounts and the audit trail", "", newDebugger()},
	}
}
