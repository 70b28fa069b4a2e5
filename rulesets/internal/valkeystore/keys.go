package valkeystore

import "github.com/triptych-mcp/triptych/rulesets/ruleset"

// keys makes the names of keys. Those of our own begin with the prefix of the installation.
type keys struct {
	prefix  string
	cluster bool // whether a script sees the keys of one slot only
}

func (k keys) index() string { return k.prefix + "rulesets:index" }

func (k keys) ready() string { return k.prefix + "rulesets:index:ready" }

func (k keys) channel() string { return k.prefix + "rulesets:events" }

// names is in the slot of the index.
func (k keys) names() string { return k.prefix + "rulesets:names:{" + k.index() + "}" }

func hashKey(name ruleset.Name) string { return hashPrefix + string(name) }

// history is the list of the revisions. Its hash tag has it live where the hash
// does.
func (k keys) history(name ruleset.Name) string {
	return k.prefix + historyPrefix + "{" + hashKey(name) + "}"
}

// labels is the list of the moves of a ruleset's labels, oldest first.
func (k keys) labels(name ruleset.Name) string {
	return k.prefix + labelsPrefix + "{" + hashKey(name) + "}"
}

// files is the hash of the bytes of all files that a ruleset has or had, by their
// SHA-256. Which files it has, its newest revision says. It lives where the ruleset's hash
// does.
func (k keys) files(name ruleset.Name) string {
	return k.prefix + filesPrefix + "{" + hashKey(name) + "}"
}

// scan names the lease of the server that scans.
func (k keys) scan() string { return k.prefix + "rulesets:scan" }

// ofScript returns the keys for a script.
func (k keys) ofScript(name ruleset.Name) []string {
	keys := []string{hashKey(name), k.history(name)}
	if k.cluster {
		return keys
	}
	return append(keys, k.index(), k.names())
}
