// Package aoccmd is triptych aoc: puzzles, recorded solving speeds and their
// statistics.
package aoccmd
