package mcp

import "strings"

// A Level is the severity of a log message to the client (RFC 5424, section 6.2.1).
// A legacy client sets the least severe level that it wants by logging/setLevel, a
// modern one in the _meta of each request; without it nothing is sent.
type Level int

// The levels, rising.
const (
	LevelDebug Level = iota
	LevelInfo
	LevelNotice
	LevelWarning
	LevelError
	LevelCritical
	LevelAlert
	LevelEmergency
	levelOff // nothing is sent before the client asked
)

// levels are the names of the levels by their number: those of RFC 5424, least severe
// first.
var levels = [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// String returns the level's name on the wire. It must be one of the constants.
func (l Level) String() string { return levels[l] }

// parseLevel returns the level with a name, and whether there is one.
func parseLevel(name string) (Level, bool) {
	for i, n := range levels {
		if n == name {
			return Level(i), true
		}
	}
	return levelOff, false
}

// levelNames lists the names for error texts.
func levelNames() string { return strings.Join(levels[:], ", ") }
