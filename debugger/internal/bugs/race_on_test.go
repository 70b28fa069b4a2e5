//go:build race

package bugs

// raceEnabled says that everything takes ten times as long.
const raceEnabled = true
