package http1

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// keptBody is the size up to which a body waits for the handler's end: its length is
// known then, and it is written together with its head. A longer one without a
// Content-Length is sent in chunks, as with net/http.
const keptBody = 16 << 10

// A response implements [http.ResponseWriter], [http.Flusher] and the methods that
// [http.ResponseController] needs. It belongs to the handler's goroutine. After the
// handler has returned its writes fail and its header is a new one, for the memory is
// another request's by then.
type response struct {
	conn *conn
	mem  *memory

	status  int    // 0 until WriteHeader
	body    []byte // waits for the handler's end
	length  int64  // the handler's Content-Length, -1 without
	written int64
	sent    bool // the head is in the buffer
	chunked bool
	late    memory // replaces buf after the handler's return
	err     error  // of a write; it is final
}

// A memory holds the memory of an answer. It is reused.
type memory struct {
	header http.Header
	out    []byte // what is written next
}

// Header implements [http.ResponseWriter]. Headers that are set after WriteHeader have
// no effect.
func (w *response) Header() http.Header {
	if w.mem.header == nil { // the handler has returned
		w.mem.header = http.Header{}
	}
	return w.mem.header
}

// WriteHeader sets the status; the head is written later. Only the first call counts.
// Informational statuses (1xx, RFC 9110, section 15.2) are dropped: no client of this
// server waits for one.
func (w *response) WriteHeader(status int) {
	switch {
	case status < 100 || status > 999:
		panic("http1: no status: " + strconv.Itoa(status))
	case w.status != 0 || status < 200:
		return
	}
	w.status = status
	if values := w.mem.header["Content-Length"]; len(values) > 0 && w.hasBody() {
		if n, err := strconv.ParseInt(values[0], 10, 64); err == nil && n >= 0 {
			w.length = n
		}
	}
}

// hasBody reports whether an answer of this status has a body (RFC 9110, section 6.4.1).
func (w *response) hasBody() bool {
	return w.status != http.StatusNoContent && w.status != http.StatusNotModified
}

// Write implements [http.ResponseWriter]. It refuses more bytes than a Content-Length
// announced, and any for statuses without a body (RFC 9110, section 6.4.1). An error of
// the connection is returned by this write or the next one, and by all after it.
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

// Flush implements [http.Flusher].
func (w *response) Flush() { _ = w.FlushError() } // the next write returns the error

// FlushError sends all that was written. After it the length of the body is no longer
// open to be found, so the answer is chunked unless the handler has set a Content-Length.
func (w *response) FlushError() error {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	w.begin()
	w.send()
	return w.err
}

// SetReadDeadline is called by [http.ResponseController]. The deadline bounds the
// request, as the whole of it was read before the handler began.
func (w *response) SetReadDeadline(t time.Time) error { return w.conn.watch.setUntil(t) }

// SetWriteDeadline is called by [http.ResponseController]. The next request sets its own
// again.
func (w *response) SetWriteDeadline(t time.Time) error {
	w.conn.writeUntil = time.Time{}
	return w.conn.net.SetWriteDeadline(t)
}

// begin appends the head and the waiting part of the body to the buffer, before the
// length of the body is known.
func (w *response) begin() {
	if w.sent {
		return
	}
	w.chunked = w.length < 0 && w.hasBody()
	w.putHead()
	w.piece(w.body)
	w.body = nil
}

// add adds a part of the body. It waits in w.body while the whole of it may still be
// short, and is then written with its length. A body that comes in one piece is not
// copied.
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

// piece appends a part of the body to the buffer, as a chunk (RFC 9112, section 7.1) if
// the answer is chunked, and sends a full buffer.
func (w *response) piece(b []byte) {
	if len(b) == 0 {
		return // an empty chunk would be the last
	}
	if w.chunked {
		w.mem.out = append(strconv.AppendInt(w.mem.out, int64(len(b)), 16), "\r\n"...)
	}
	if len(b) > keptAnswer { // too large to copy
		w.send()
		w.put(b)
	} else {
		w.mem.out = append(w.mem.out, b...)
	}
	if w.chunked {
		w.mem.out = append(w.mem.out, "\r\n"...)
	}
	if len(w.mem.out) >= keptBody {
		w.send()
	}
}

// send writes the buffer.
func (w *response) send() {
	w.put(w.mem.out)
	w.mem.out = w.mem.out[:0]
}

// put writes to the connection unless a write has failed before: nothing may follow the
// bytes that are missing.
func (w *response) put(b []byte) {
	if w.err == nil && len(b) > 0 {
		_, w.err = w.conn.net.Write(b)
	}
}

// finish sends the rest of the answer, and reports whether the connection can be used for
// another request. It cannot when the handler wrote less than its Content-Length: the
// client waits for the rest.
func (w *response) finish() bool {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if !w.sent {
		w.whole()
	} else if w.chunked {
		w.mem.out = append(w.mem.out, "0\r\n\r\n"...)
	}
	w.send()
	return w.err == nil && !w.closes() && (w.length < 0 || w.length == w.written)
}

// whole appends an answer whose body is complete to the buffer.
func (w *response) whole() {
	if w.length < 0 && w.hasBody() {
		w.length = w.written
		w.mem.header.Del("Content-Length") // it was none
	}
	w.putHead()
	w.mem.out = append(w.mem.out, w.body...)
	w.body = nil
}

// closes reports whether the connection ends with this answer, because the server shuts
// down or the handler has set Connection: close.
func (w *response) closes() bool {
	return w.conn.server.closing.Load() || strings.EqualFold(w.mem.header.Get("Connection"), "close")
}

// A valued is a field with its values.
type valued struct {
	name   string
	values []string
}

// putHead appends the status line and the fields, sorted by name so that equal answers
// are equal bytes, to the buffer.
func (w *response) putHead() {
	w.sent = true
	out := append(w.mem.out, "HTTP/1.1 "...)
	out = strconv.AppendInt(out, int64(w.status), 10)
	out = append(append(append(out, ' '), http.StatusText(w.status)...), "\r\n"...)
	w.complete()
	fields := make([]valued, 0, 16)
	for name, values := range w.mem.header {
		fields = append(fields, valued{name, values})
	}
	slices.SortFunc(fields, func(a, b valued) int { return strings.Compare(a.name, b.name) })
	for _, f := range fields {
		for _, value := range f.values {
			out = appendField(out, f.name, value)
		}
	}
	w.mem.out = append(out, "\r\n"...)
}

// complete adds the fields that the protocol requires, and removes wrong ones: Date (RFC
// 9110, section 6.6.1), Content-Length or Transfer-Encoding, never both (RFC 9112,
// section 6.1), and Connection. A missing Content-Type is detected as net/http does.
func (w *response) complete() {
	h := w.Header()
	if _, ok := h["Date"]; !ok {
		h["Date"] = w.conn.server.date.at(time.Now())
	}
	delete(h, "Transfer-Encoding")
	switch {
	case w.chunked:
		h["Transfer-Encoding"] = []string{"chunked"}
		delete(h, "Content-Length")
	case !w.hasBody():
		delete(h, "Content-Length")
	case h["Content-Length"] == nil:
		h["Content-Length"] = []string{strconv.FormatInt(w.length, 10)}
	}
	if w.conn.server.closing.Load() {
		h["Connection"] = []string{"close"}
	}
	if len(w.body) > 0 && h["Content-Type"] == nil && h.Get("Content-Encoding") == "" {
		h["Content-Type"] = []string{http.DetectContentType(w.body)}
	}
}
