//go:build !race

package bugs

const raceEnabled = false
