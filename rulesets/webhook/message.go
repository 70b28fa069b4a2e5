package webhook

import (
	"maps"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Message tells of a change.
type Message struct {
	Event string       `json:"event"` // "ruleset.changed" or "ruleset.deleted"
	Name  ruleset.Name `json:"name"`
	Rev   int          `json:"rev,omitempty"` // 0 for a deletion
	From  int          `json:"from,omitempty"`
	At    time.Time    `json:"at,omitzero"` // of the change; not of a deletion

	// Author is the id of who made the revision, AuthorName the name of that key.
	Author     string `json:"author,omitempty"`
	AuthorName string `json:"author_name,omitempty"`
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
	if m.Rev == 0 {
		delete(known, m.Name)
	} else {
		known[m.Name] = m.Rev
	}
	return known
}
