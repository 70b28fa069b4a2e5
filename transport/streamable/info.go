package streamable

import "time"

// A SessionInfo describes an open session, for operators. The id is that of the audit
// trail; it is of no use without a key of the principal.
type SessionInfo struct {
	ID        string
	Principal string
	Client    string // the program, in its own words; "" if it did not say
	Revision  string
	Used      time.Time // time of the last request
	Running   int       // requests that run
	Streams   int       // streams of requests that are kept for the client
	Listening bool      // whether the client reads the session's own stream
}

// SessionInfos returns the sessions of this process, in no order. A session that has
// other servers, too, is described as this one sees it.
func (h *Handler) SessionInfos() []SessionInfo {
	open := h.sessions.all(false)
	infos := make([]SessionInfo, len(open))
	for i, s := range open {
		infos[i] = s.info()
	}
	return infos
}

// info describes the session. The numbers are of one moment.
func (s *session) info() SessionInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return SessionInfo{
		ID: s.id, Principal: s.principal, Client: s.mcp.ClientName(), Revision: s.mcp.Revision().Name,
		Used: s.used, Running: len(s.inFlight), Streams: len(s.streams), Listening: s.readers > 0,
	}
}
