// Package ruleset is the vocabulary of the rulesets family: what a ruleset is,
// what its name may be, in which order lists come, and what a store owes.
//
// It is a leaf: stores and the family import it, it imports nothing of ours.
package ruleset
