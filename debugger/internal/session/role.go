package session

// A Role determines what a person's debugger may do with a session.
type Role uint8

// The roles.
const (
	Mirror  Role = iota // follow the session, and change nothing
	Control             // drive it together with the tools
	Owner               // also end it: the session is its own
)
