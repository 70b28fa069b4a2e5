package editors

import (
	"fmt"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A File is a file that clients load, as rules make it.
type File struct {
	Path    string // relative to the project, with /
	Shared  bool   // Content is a block in a file of others
	Whole   bool   // the file is the text of a rule, Lead, and perhaps a block behind it
	Lead    []byte
	Content []byte
	Parts   []Part
	Reaches []string // the names of the clients that load it
}

// A Part is a rule in a file.
type Part struct {
	Name ruleset.Name
	Rev  int
}

func (p Part) String() string { return fmt.Sprintf("%s@%d", p.Name, p.Rev) }

// A Note describes how a rule was rendered for one client.
type Note struct {
	Client  string
	Rule    ruleset.Name
	Outcome Outcome
	Reason  string // empty for native ones
	Path    string // empty for skipped ones
}

// A Plan has the files that give some clients the rules.
type Plan struct {
	Files    []File // sorted by path
	Notes    []Note // by client, then in the order of the rules
	Warnings []string
}
