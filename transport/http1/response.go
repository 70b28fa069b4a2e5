package http1

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// keptBody is how much of a body waits for the handler's end: then its length
// is known, and it leaves together with its head.
const keptBody = 16 << 10

// A response is an answer on its way. It is a [http.Flusher] and has what
// [http.ResponseController] needs.
type response struct {
	conn *conn
	room *room

	status  int    // 0 until it is said
	body    []byte // that waits
	length  int64  // that the handler has stated, -1 when it has not
	written int64
	sent    bool // the head was
	chunked bool
	late    room  // in place of the other one after the handler's return
	err     error // of the connection, for good
}

// A room is where an answer is made. It is another one's afterwards.
type room struct {
	header http.Header
	out    []byte // what is written next
}

func (w *response) Header() http.Header {
	if w.room.header == nil { // of a room for what is late
		w.room.header = http.Header{}
	}
	return w.room.header
}

// WriteHeader says the status. Informational ones are left out.
func (w *response) WriteHeader(status int) {
	switch {
	case status < 100 || status > 999:
		panic("http1: no status: " + strconv.Itoa(status))
	case w.status != 0 || status < 200:
		return
	}
	w.status = status
	if values := w.room.header["Content-Length"]; len(values) > 0 && w.hasBody() {
		if n, err := strconv.ParseInt(values[0], 10, 64); err == nil && n >= 0 {
			w.length = n
		}
	}
}

// hasBody says whether an answer of this status has one (RFC 9110, section 6.4.1).
func (w *response) hasBody() bool {
	return w.status != http.StatusNoContent && w.status != http.StatusNotModified
}

func (w *response) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if !w.hasBody() {
		return 0, http.ErrBodyNotAllowed
	}
	if w.written += int64(len(b)); w.length >= 0 && w.written > w.length {
		return 0, http.ErrContentLength
	}
	w.add(b)
	if w.err != nil {
		return 0, w.err
	}
	return len(b), nil
}

// Flush sends what was written.
func (w *response) Flush() { _ = w.FlushError() } // the next write tells

// FlushError is Flush with an error.
func (w *response) FlushError() error {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	w.begin()
	w.send()
	return w.err
}

// SetReadDeadline is for what [http.ResponseController] has of that name.
func (w *response) SetReadDeadline(t time.Time) error { return w.conn.watch.setUntil(t) }

// SetWriteDeadline likewise.
func (w *response) SetWriteDeadline(t time.Time) error {
	w.conn.writeUntil = time.Time{}
	return w.conn.net.SetWriteDeadline(t)
}

// begin puts the head and what of the body has waited into the buffer, when
// the body's end is not there yet.
func (w *response) begin() {
	if w.sent {
		return
	}
	w.chunked = w.length < 0 && w.hasBody()
	w.putHead()
	w.piece(w.body)
	w.body = nil
}

// add takes a part of the body.
func (w *response) add(b []byte) {
	switch {
	case w.sent:
		w.piece(b)
		return
	case len(w.body) == 0 && (len(b) > keptBody || int64(len(b)) == w.length):
		w.body = b
		w.begin() // and is done with it
	default:
		if w.body = append(w.body, b...); len(w.body) > keptBody {
			w.begin()
		}
	}
}

// piece puts a part of the body behind what is there, and sends it if it is
// much.
func (w *response) piece(b []byte) {
	if len(b) == 0 {
		return // an empty chunk would be the last
	}
	if w.chunked {
		w.room.out = append(strconv.AppendInt(w.room.out, int64(len(b)), 16), "\r\n"...)
	}
	if len(b) > keptAnswer { // too much for a copy
		w.send()
		w.put(b)
	} else {
		w.room.out = append(w.room.out, b...)
	}
	if w.chunked {
		w.room.out = append(w.room.out, "\r\n"...)
	}
	if len(w.room.out) >= keptBody {
		w.send()
	}
}

// send writes what is in the buffer.
func (w *response) send() {
	w.put(w.room.out)
	w.room.out = w.room.out[:0]
}

// put writes to the connection.
func (w *response) put(b []byte) {
	if w.err == nil && len(b) > 0 {
		_, w.err = w.conn.net.Write(b)
	}
}

// finish sends what the handler left, and says whether the connection can go
// on.
func (w *response) finish() bool {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if !w.sent {
		w.whole()
	} else if w.chunked {
		w.room.out = append(w.room.out, "0\r\n\r\n"...)
	}
	w.send()
	return w.err == nil && !w.closes() && (w.length < 0 || w.length == w.written)
}

// whole puts an answer into the buffer whose body is known to its end.
func (w *response) whole() {
	if w.length < 0 && w.hasBody() {
		w.length = w.written
		w.room.header.Del("Content-Length") // it was none
	}
	w.putHead()
	w.room.out = append(w.room.out, w.body...)
	w.body = nil
}

// closes says whether the connection ends with this answer.
func (w *response) closes() bool {
	return w.conn.server.closing.Load() || strings.EqualFold(w.room.header.Get("Connection"), "close")
}
