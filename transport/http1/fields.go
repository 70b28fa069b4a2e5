package http1

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A valued is a field with its values.
type valued struct {
	name   string
	values []string
}

// putHead puts status line and fields into the buffer, those in the order of
// their names.
func (w *response) putHead() {
	w.sent = true
	out := append(w.room.out, "HTTP/1.1 "...)
	out = strconv.AppendInt(out, int64(w.status), 10)
	out = append(append(append(out, ' '), http.StatusText(w.status)...), "\r\n"...)
	w.complete()
	fields := make([]valued, 0, 16)
	for name, values := range w.room.header {
		fields = append(fields, valued{name, values})
	}
	slices.SortFunc(fields, func(a, b valued) int { return strings.Compare(a.name, b.name) })
	for _, f := range fields {
		for _, value := range f.values {
			out = appendField(out, f.name, value)
		}
	}
	w.room.out = append(out, "\r\n"...)
}

// complete adds the fields that the protocol needs, and takes away those that
// would be wrong.
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

// appendField appends a field. A name that is none is left out, and what would
// end a value becomes a space.
func appendField(out []byte, name, value string) []byte {
	if name == "" || !is([]byte(name), inName) {
		return out
	}
	out = append(append(out, name...), ": "...)
	start := len(out)
	out = append(out, trimmed(value)...)
	for i, c := range out[start:] {
		if c == '\r' || c == '\n' || c == 0 {
			out[start+i] = ' '
		}
	}
	return append(out, "\r\n"...)
}

// trimmed is a value without blanks at its ends, which most have not.
func trimmed(value string) string {
	if n := len(value); n > 0 && value[0] > ' ' && value[n-1] > ' ' {
		return value
	}
	return strings.Trim(value, " \t\r\n")
}
