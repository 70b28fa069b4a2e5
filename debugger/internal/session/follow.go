package session

import "github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"

// follow lets others see that a session has stopped. Its fields are guarded by
// Session.mu.
type follow struct {
	stop  proc.Stop
	stops uint64
	next  chan struct{}
}

// recordLocked records a stop and wakes those that wait for it.
func (f *follow) recordLocked(stop proc.Stop) {
	f.stop = stop
	f.stops++
	if f.next != nil {
		close(f.next)
	}
	f.next = make(chan struct{})
}

// LastStop returns the last stop, how many there were, and a channel that is
// closed at the next one. A choice of another thread counts as a stop.
func (s *Session) LastStop() (stop proc.Stop, stops uint64, next <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.follow.stop, s.follow.stops, s.follow.next
}
