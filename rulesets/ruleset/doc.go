// Package ruleset defines the types of the rulesets family: rulesets, their names
// and revisions, the order of lists, and the interface of a store.
//
// Stores and the family import it; it imports no other package of this module. Its values
// have no references to a store: a caller may change what it was given.
//
//	ruleset.go file.go label.go history.go   a ruleset, its files, labels and revisions
//	draft.go page.go change.go               what callers pass to a store and hear from it
//	store.go filestore.go archive.go         the interfaces, and what is made of any store
//	query.go single.go                       functions over any store
//	batch.go stage.go                        several changes at once, and their effects
//	retention.go glob.go errors.go           which revisions stay; patterns of names; errors
package ruleset
