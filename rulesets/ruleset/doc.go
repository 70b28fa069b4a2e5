// Package ruleset defines the types of the rulesets family: rulesets, their names
// and revisions, the order of lists, and the interface of a store.
//
// Stores and the family import it; it imports no other package of this module.
package ruleset
