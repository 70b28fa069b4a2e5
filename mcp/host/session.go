package host

import (
	"fmt"
	"sync/atomic"

	"github.com/triptych-mcp/triptych/mcp/internal/session"
)

// A Session holds the state of a legacy client between its requests. It is made by the
// transport, or by Bind for a connection, and ends with End of the handler that is bound
// with Unsolicited. Its methods may be called from any goroutine. Another initialize
// starts it anew.
type Session struct {
	// ID names the session; no two of a process have the same one.
	ID string
	// State is for package mcp.
	State session.State

	handshake atomic.Pointer[handshake] // nil before initialize
}

// A handshake holds what initialize has negotiated. It is immutable; another
// initialize replaces it.
type handshake struct {
	rev    *Revision
	client ClientCapabilities
	name   string // of the client's program
}

// unnamed is the handshake of a client that names nothing.
var unnamed = &handshake{rev: baseline}

// NewSession returns a session before its handshake. The id must be unique in the
// process, and one that no client can guess where clients send it.
func NewSession(id string) *Session { return &Session{ID: id} }

// Begin starts the session with a handshake: the revision, and the capabilities and the
// name of the client. Nothing of an earlier one is left.
func (s *Session) Begin(rev *Revision, client ClientCapabilities, name string) {
	s.State.Begin()
	s.handshake.Store(&handshake{rev, client, name})
}

// Begun reports whether there was a handshake.
func (s *Session) Begun() bool { return s.handshake.Load() != nil }

// get returns the handshake, unnamed if there was none.
func (s *Session) get() *handshake {
	if h := s.handshake.Load(); h != nil {
		return h
	}
	return unnamed
}

// Revision returns the revision that initialize negotiated, the baseline before that.
func (s *Session) Revision() *Revision { return s.get().rev }

// Client returns the capabilities of the client, none before its handshake.
func (s *Session) Client() ClientCapabilities { return s.get().client }

// ClientName returns the name and version of the client's program, in its own words; ""
// before its handshake, and if it did not say.
func (s *Session) ClientName() string { return s.get().name }

// Silent reports whether requests of the session that ask for no progress are sent no
// messages before their answer: the client wants no log and cannot be asked. A transport
// can then answer without a stream.
func (s *Session) Silent() bool {
	c := s.Client()
	return s.Begun() && !s.State.Logs() && !c.Forms && !c.URLs && !c.Sampling && !c.Roots
}

// A Handshake is the outcome of initialize, for a transport whose sessions go on in
// another process.
type Handshake struct {
	Revision string             `json:"r"` // its name
	Client   ClientCapabilities `json:"c"`
}

// Handshake returns the outcome of the session's initialize, the zero Handshake before
// that.
func (s *Session) Handshake() Handshake {
	h := s.get()
	return Handshake{Revision: h.rev.Name, Client: h.client}
}

// RestoreSession returns a session after its handshake, which may have been with
// another process. Its client counts as initialized. It begins without subscriptions
// and with the level of logs of a new session.
func RestoreSession(id string, h Handshake) (*Session, error) {
	rev := RevisionNamed(h.Revision)
	if rev == nil || rev.Modern {
		return nil, fmt.Errorf("the revision %q has no sessions", h.Revision)
	}
	s := NewSession(id)
	s.Begin(rev, h.Client, "")
	s.State.Ready.Store(true)
	return s, nil
}
