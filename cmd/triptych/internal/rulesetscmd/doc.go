// Package rulesetscmd is triptych rulesets: the rulesets of a store or of a server,
// and the files of editors that a project makes of them.
package rulesetscmd
