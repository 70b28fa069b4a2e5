// Package plain formats text for people and models: lines without control
// characters, numbers with separators.
package plain
