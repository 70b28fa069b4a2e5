package main

import (
	"slices"
	"strings"
	"testing"
)

// A command line gets the commands that it can mean: its first word's, or all of
// them with the flags that stand without a command.
func TestOnly(t *testing.T) {
	table := newApp().root()
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
		got := only(table, words)
		switch {
		case tt.all && (len(got.sub) != len(table.sub) || got.flags == nil):
			t.Errorf("%q: %d commands of %d", tt.line, len(got.sub), len(table.sub))
		case !tt.all && (len(got.sub) != 1 || got.sub[0].name != words[0] || got.flags != nil):
			t.Errorf("%q: %v", tt.line, got.sub)
		}
	}
	if slices.ContainsFunc(table.sub, func(row command) bool { return row.name == "help" || row.name == "completion" }) {
		t.Error("a command of ours has the name of one of the library's")
	}
}
