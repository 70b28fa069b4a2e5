// Package plain formats text for people and models: lines without control
// characters, numbers with separators. It imports none of ours, so that every package may
// import it.
package plain
