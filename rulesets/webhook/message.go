package webhook

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Message tells of a change.
type Message struct {
	// Event is ruleset.changed or ruleset.deleted, label.moved or label.removed, or
	// proposal. and opened, commented, accepted, refused or withdrawn.
	Event string        `json:"event"`
	Name  ruleset.Name  `json:"name,omitempty"` // "" for proposals
	Label ruleset.Label `json:"label,omitempty"`
	Rev   int           `json:"rev,omitempty"` // 0 for a deletion and the removal of a label
	From  int           `json:"from,omitempty"`
	At    time.Time     `json:"at,omitzero"` // of the change; not of a deletion

	// Author is the id of who made the change, AuthorName the name of that key, Client
	// the program, and Reason the message of the change.
	Author     string `json:"author,omitempty"`
	AuthorName string `json:"author_name,omitempty"`
	Client     string `json:"client,omitempty"`
	Reason     string `json:"reason,omitempty"`

	Proposal int    `json:"proposal,omitempty"` // its number
	Changes  string `json:"changes,omitempty"`  // of the proposal
	// Address is the page of the console, or else the URI of the resource.
	Address string `json:"address,omitempty"`

	// Count is the number of moves that the URL knows after the message; of labels and
	// proposals only.
	Count int `json:"-"`
}

// by sets who made the change, and why.
func (m *Message) by(b ruleset.By) { m.Author, m.Client, m.Reason = b.Author, b.Client, b.Message }

// recorded returns the name and the number that a record has after the message. No number
// means that the record forgets the name.
func (m *Message) recorded() (ruleset.Name, int) {
	switch {
	case m.Count == 0:
		return m.Name, m.Rev
	case m.Proposal != 0:
		return ruleset.ProposalLog, m.Count
	}
	return movesOf(m.Name), m.Count
}

// movesOf returns the name under which a record counts the moves of a ruleset's labels.
func movesOf(name ruleset.Name) ruleset.Name { return name + "@" }

// countsMoves is the name in a record which says that the record counts moves.
const countsMoves ruleset.Name = "@"

// isCount reports whether a name in a record is none of a ruleset.
func isCount(name ruleset.Name) bool {
	return name == ruleset.ProposalLog || strings.HasSuffix(string(name), "@")
}

// differences returns the messages that make a receiver know what is there now.
func differences(known map[ruleset.Name]int, now map[ruleset.Name]ruleset.Ruleset) (all []Message) {
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if r := now[name]; known[name] != r.Rev {
			all = append(all, Message{Event: "ruleset.changed", Name: name, Rev: r.Rev, From: known[name], At: r.LastModified})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if _, there := now[name]; !there {
			all = append(all, Message{Event: "ruleset.deleted", Name: name, From: known[name]})
		}
	}
	return all
}

// after returns the revisions that are known once the URL has accepted a message.
func after(known map[ruleset.Name]int, m Message) map[ruleset.Name]int {
	if name, n := m.recorded(); n == 0 {
		delete(known, name)
	} else {
		known[name] = n
	}
	return known
}
