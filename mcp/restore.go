package mcp

import "fmt"

// A Handshake is the outcome of initialize, for a transport whose sessions go on in
// another process.
type Handshake struct {
	Revision string             `json:"r"` // its name
	Client   ClientCapabilities `json:"c"`
}

// Handshake returns the outcome of the session's initialize, the zero Handshake before
// that.
func (s *Session) Handshake() Handshake {
	h := s.handshake.Load()
	if h == nil {
		return Handshake{}
	}
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
	s.begin(&handshake{rev: rev, client: h.Client})
	s.ready.Store(true)
	return s, nil
}
