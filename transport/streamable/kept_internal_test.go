package streamable

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
)

// TestLostStream: a stream whose client is gone is kept for a while after it is
// over, however long that took, and no longer.
func TestLostStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &session{h: New(Config{}), streams: map[string]*stream{}, own: newStream(ownStream, false, nil)}
		one := newStream("1", false, nil)
		s.addStream(one)
		s.readerLeft(one, errNotAuthorized)
		time.Sleep(2*keptFor - time.Second) // just before it is looked at
		_ = one.finish([]byte("{}"))        // there is no bound
		time.Sleep(keptFor - time.Second)
		if s.stream("1") == nil {
			t.Errorf("a client had less than %v to come back", keptFor)
		}
		time.Sleep(keptFor + 2*time.Second)
		if s.stream("1") != nil {
			t.Error("it is kept for ever")
		}
	})
}

// TestLeftStream: what was read to its end is forgotten at once, unless another
// connection reads it now.
func TestLeftStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &session{h: New(Config{}), streams: map[string]*stream{}, own: newStream(ownStream, false, nil)}
		one := newStream("1", false, nil)
		s.addStream(one)
		_ = one.finish([]byte("{}")) // there is no bound
		s.readerLeft(one, errTaken)
		if s.stream("1") == nil {
			t.Error("it is gone though somebody reads it")
		}
		s.readerLeft(one, nil)
		if s.stream("1") != nil {
			t.Error("it is kept though nobody needs it")
		}
	})
}

// TestAbandonedStream: a stream that opens as its client goes is not kept for
// ever either.
func TestAbandonedStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &session{h: New(Config{}), streams: map[string]*stream{}, own: newStream(ownStream, false, nil)}
		e := &exchange{h: New(Config{}), to: route{session: s, rev: host.BaselineRevision()}, ready: make(chan []byte, 2)}
		_ = e.open().finish([]byte("{}")) // likewise
		e.abandon()
		time.Sleep(keptFor + time.Second)
		if s.stream("1") != nil {
			t.Error("it is kept")
		}
	})
}

// TestRefusedStream: a stream beyond the limit of its principal is refused, and its
// session keeps nothing of it.
func TestRefusedStream(t *testing.T) {
	h := New(Config{MaxStreams: 1})
	s := &session{h: h, streams: map[string]*stream{}, own: newStream(ownStream, false, nil)}
	e := &exchange{h: h, to: route{session: s, rev: host.BaselineRevision()}, ready: make(chan []byte, 2), cancel: func(error) {}}
	if err := h.streams.Take("", 1); err != nil {
		t.Fatal(err)
	}
	e.open()
	w := httptest.NewRecorder()
	e.copy(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody))
	if w.Code != http.StatusTooManyRequests {
		t.Errorf("status %d, want 429", w.Code)
	}
	if s.stream("1") != nil || len(s.order) > 0 {
		t.Error("the session keeps the stream")
	}
}

// TestDroppedStream: a stream that its session has dropped is not parked when its
// reader leaves later.
func TestDroppedStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &session{h: New(Config{}), streams: map[string]*stream{}, own: newStream(ownStream, false, nil)}
		one := newStream("0.1", false, nil)
		s.addStream(one)
		s.attach(one)
		for range maxStreams { // the oldest gives way
			s.addStream(newStream(s.newStreamName(), false, nil))
		}
		one.leave()
		s.readerLeft(one, errNotAuthorized)
		if s.stream(one.name) != nil || len(s.h.parked.at) != 0 {
			t.Errorf("%d streams are parked", len(s.h.parked.at))
		}
	})
}

// TestReadStream: a stream is not parked nor dropped while a second connection reads
// it, and it is when both have left, in whatever order.
func TestReadStream(t *testing.T) {
	for _, last := range []error{errNotAuthorized, errTaken} {
		synctest.Test(t, func(t *testing.T) {
			s := &session{h: New(Config{}), streams: map[string]*stream{}, own: newStream(ownStream, false, nil)}
			one := newStream("1", false, nil)
			s.addStream(one)
			_ = one.finish([]byte("{}")) // there is no bound
			s.readerLeft(one, errNotAuthorized)
			time.Sleep(keptFor - time.Second)
			s.attach(one)
			s.attach(one)
			one.leave()
			s.readerLeft(one, errNotAuthorized)
			if len(s.h.parked.at) != 0 {
				t.Error("it is parked though it has a reader")
			}
			time.Sleep(2 * keptFor)
			if s.stream("1") == nil {
				t.Error("it is gone though it has a reader")
			}
			one.leave()
			s.readerLeft(one, last)
			if len(s.h.parked.at) != 1 {
				t.Error("it is not parked")
			}
			s.park(one) // a second time, with one timer
			time.Sleep(keptFor + time.Second)
			if s.stream("1") != nil || len(s.h.parked.at) != 0 {
				t.Error("it is kept for ever")
			}
		})
	}
}
