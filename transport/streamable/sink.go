package streamable

import (
	"errors"
	"net/http"
	"strconv"
	"time"
)

// Events are collected in a buffer of up to collected bytes; larger ones are written
// without a copy. Between events a sink keeps a buffer of up to keptEvents bytes.
const (
	collected  = 64 << 10
	keptEvents = 16 << 10
)

// A sink writes server-sent events to a client (HTML Standard, section 9.2). It belongs
// to one goroutine. Each write has a deadline, so that a client that does not read holds
// nothing for long.
type sink struct {
	w       http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration // for one write
	buf     []byte
}

// openSink writes the head of the answer, status 200. A stream may last longer than the
// HTTP server's time-outs for requests, so the read deadline is removed. Proxies are
// asked not to buffer.
func openSink(w http.ResponseWriter, limit time.Duration) *sink {
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache")
	header.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // a recorder of tests has no deadlines
	return &sink{w: w, control: control, limit: limit}
}

// event adds one event; its data is one line, as JSON messages are. What does not
// fit into the buffer is written.
func (o *sink) event(id string, e event) error {
	if id != "" {
		o.buf = append(append(append(o.buf, "id: "...), id...), '\n')
	}
	if e.retry > 0 {
		o.buf = strconv.AppendInt(append(o.buf, "retry: "...), e.retry.Milliseconds(), 10)
		o.buf = append(o.buf, '\n')
	}
	o.buf = append(o.buf, "data: "...)
	if len(o.buf)+len(e.data) > collected {
		if err := o.write(); err != nil {
			return err
		}
		if _, err := o.w.Write(e.data); err != nil {
			return err
		}
	} else {
		o.buf = append(o.buf, e.data...)
	}
	o.buf = append(o.buf, "\n\n"...)
	return nil
}

// write writes the buffer, within limit. After an error the sink must not be used.
func (o *sink) write() error {
	_ = o.control.SetWriteDeadline(time.Now().Add(o.limit)) // a recorder of tests has no deadlines
	if len(o.buf) == 0 {
		return nil
	}
	if _, err := o.w.Write(o.buf); err != nil {
		return err
	}
	if o.buf = o.buf[:0]; cap(o.buf) > keptEvents {
		o.buf = nil
	}
	return nil
}

// comment adds a comment, which clients ignore and which keeps proxies from closing the
// connection (HTML Standard, section 9.2.6).
func (o *sink) comment() { o.buf = append(o.buf, ":\n\n"...) }

// flush writes and flushes all events that were added, so that they reach the client at
// once. A writer that cannot flush is no error.
func (o *sink) flush() error {
	if err := o.write(); err != nil {
		return err
	}
	if err := o.control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// An event is a message of a stream, or only a new reconnection time (the field retry of
// the HTML Standard, section 9.2.6).
type event struct {
	data  []byte        // one JSON message, nil for none
	retry time.Duration // the reconnection time, 0 for none
}

// size returns the bytes that an event takes: its data, and an estimate of the rest.
func (e event) size() int {
	if e.data == nil {
		return 0
	}
	return cap(e.data) + 64
}
