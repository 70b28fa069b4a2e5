package streamable

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
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
		e := &exchange{h: New(Config{}), to: route{session: s, rev: mcp.BaselineRevision()}, ready: make(chan []byte, 2)}
		_ = e.open().finish([]byte("{}")) // likewise
		e.abandon()
		time.Sleep(keptFor + time.Second)
		if s.stream("1") != nil {
			t.Error("it is kept")
		}
	})
}
