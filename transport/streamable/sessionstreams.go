package streamable

import (
	"slices"
	"strconv"
	"time"
)

// ownStream is the name of the session's own stream, without the tag of a server.
const ownStream = "0"

// tagEnd stands between the tag of a server and the rest of the name of a stream.
const tagEnd = "-"

// streamName returns the name of a stream for event ids: where streams can be reached
// from other servers, it begins with the tag of this one.
func (h *Handler) streamName(n int) string {
	if h.cfg.Forward == nil {
		return strconv.Itoa(n)
	}
	return h.cfg.Forward.Tag() + tagEnd + strconv.Itoa(n)
}

// maxStreams bounds the streams of requests that a session keeps for a client that
// reconnects.
const maxStreams = 16

// maxBytes bounds what the streams of a session hold besides the newest one, and
// keptFor the time for which a stream without a reader is kept.
const (
	maxBytes = 4 << 20
	keptFor  = 2 * time.Minute
)

// newStreamName returns a name for a stream, which is the first part of its event ids.
// It is unique in the session.
func (s *session) newStreamName() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names++
	return s.h.streamName(s.names)
}

// addStream adds a stream, which a client may resume until it is dropped, and drops older
// ones beyond the bounds.
func (s *session) addStream(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams[one.name] = one
	s.order = append(s.order, one.name)
	s.trimLocked()
}

// stream returns a stream by name, nil if there is none. It may be dropped before the
// caller has become its reader.
func (s *session) stream(name string) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name == s.own.name {
		return s.own
	}
	return s.streams[name]
}

// readerLeft drops or parks a stream after [stream.copy] returned err and the reader
// has left. While the stream has another reader, that one decides.
func (s *session) readerLeft(one *stream, err error) {
	if err == nil && one.hasEnded() {
		s.dropStream(one)
	} else {
		s.park(one)
	}
}

// attach counts a reader that will come, until [stream.leave]. The stream is neither
// parked nor dropped for its age while it has one.
func (s *session) attach(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one.expect()
	s.unparkLocked(one)
}

// park keeps a stream without readers for a client that may reconnect. It is dropped
// between one and two times keptFor after it has ended.
func (s *session) park(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parkLocked(one)
}

// parkLocked is park with mu held. It ignores a stream that has a reader or that no
// client can find.
func (s *session) parkLocked(one *stream) {
	s.trimLocked()
	if s.ended || s.streams[one.name] != one || one.isRead() {
		return
	}
	s.h.parked.add(s.principal, one, func() { s.dropStream(one) })
	if one.expiry != nil {
		one.expiry.Stop()
	}
	over := one.hasEnded()
	var timer *time.Timer
	timer = time.AfterFunc(keptFor, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case one.expiry != timer: // stopped too late
		case over:
			s.dropStreamLocked(one)
		default:
			s.parkLocked(one)
		}
	})
	one.expiry = timer
}

// unparkLocked undoes park: the stream is neither dropped for its age nor for answers that
// need its memory. mu is held.
func (s *session) unparkLocked(one *stream) {
	s.h.parked.remove(one)
	if one.expiry != nil {
		one.expiry.Stop()
		one.expiry = nil
	}
}

// trimLocked drops the oldest streams when there are too many or they hold too much. The
// newest one always stays, for it is most likely the one that a client comes back for. mu is
// held.
func (s *session) trimLocked() {
	total := 0
	for i, name := range slices.Backward(s.order) {
		if total += s.streams[name].held(); i == len(s.order)-1 || total <= maxBytes && len(s.order)-i <= maxStreams {
			continue
		}
		for _, old := range s.order[:i+1] {
			s.forgetStreamLocked(old)
		}
		s.order = s.order[i+1:]
		return
	}
}

// dropStream removes a stream without readers and frees its memory. With a reader it does
// nothing: the reader decides when it leaves.
func (s *session) dropStream(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropStreamLocked(one)
}

// dropStreamLocked forgets a stream that no client reads: it cannot be resumed any
// more. mu is held.
func (s *session) dropStreamLocked(one *stream) {
	if one.isRead() {
		return
	}
	s.unparkLocked(one)
	s.forgetStreamLocked(one.name)
	s.order = slices.DeleteFunc(s.order, func(name string) bool { return name == one.name })
}

// forgetStreamLocked removes a stream from the map and frees its memory, once its last reader
// has left. The caller removes its name from order. mu is held.
func (s *session) forgetStreamLocked(name string) {
	if one := s.streams[name]; one != nil {
		delete(s.streams, name)
		s.unparkLocked(one)
		one.forget()
	}
}
