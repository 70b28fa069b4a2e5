// Package plain writes text for people and models: names without control
// characters, numbers with separators.
package plain
