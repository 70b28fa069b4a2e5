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

// putHead appends the status line and the fields, sorted by name, to the buffer.
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

// complete adds the fields that the protocol requires, and removes wrong ones.
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

// appendField appends a field. An invalid name is dropped; bytes that would end a value
// become spaces.
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

// trimmed returns a value without white space at its ends.
func trimmed(value string) string {
	if n := len(value); n > 0 && value[0] > ' ' && value[n-1] > ' ' {
		return value
	}
	return strings.Trim(value, " \t\r\n")
}
