package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

// A command line gets the commands that it can mean: its first word's, or all of
// them with the flags that stand without a command.
func TestOnly(t *testing.T) {
	table := root(app.New())
	for _, tt := range []struct {
		line string
		all  bool
	}{
		{"stdio", false},
		{"stdio --data stdio", false},
		{"rulesets list", false},
		{"", true},
		{"--data x rulesets list", true},
		{"help stdio", true},
		{"stdi", true},
		{"__complete stdio", true},
	} {
		words := strings.Fields(tt.line)
		got := command.OnlyNamed(table, words)
		switch {
		case tt.all && (len(got.Sub) != len(table.Sub) || got.Flags == nil):
			t.Errorf("%q: %d commands of %d", tt.line, len(got.Sub), len(table.Sub))
		case !tt.all && (len(got.Sub) != 1 || got.Sub[0].Name != words[0] || got.Flags != nil):
			t.Errorf("%q: %v", tt.line, got.Sub)
		}
	}
	if slices.ContainsFunc(table.Sub, func(row command.Command) bool { return row.Name == "help" }) {
		t.Error("a command of ours has the name of the one of the library")
	}
}
