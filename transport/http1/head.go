package http1

import (
	"bytes"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

// Bounds of the requests that are served here.
const (
	maxHead   = 8 << 10
	maxBody   = 64 << 10
	maxFields = 64
)

// A head is the request line and the fields of a request, as parts of one immutable
// text. A client's next head mostly differs in the length only: then the requests share
// the parsed fields.
type head struct {
	path   string
	host   string
	length int     // of the body
	fields []field // until it is parsed

	url    *url.URL
	header http.Header // nil for a head that is not served here

	before, digits, after string // the text around the digits of the length
}

// A field is a line of a head.
type field struct{ name, value string }

const (
	method  = "POST "
	version = " HTTP/1.1"
)

// endOfHead ends the head of a request (RFC 9112, section 2.1).
var endOfHead = []byte("\r\n\r\n")

// indexHead returns the index of the end of the last line of a head, -1 if it is not
// there.
func indexHead(text []byte) int { return bytes.Index(text, endOfHead) }

// strange reports whether the beginning of a head suffices to leave it to net/http.
func strange(text []byte) bool {
	line, _, ok := bytes.Cut(text, []byte("\n"))
	return ok && !bytes.HasSuffix(line, []byte(version+"\r")) || bytes.Contains(text, []byte("\n\n"))
}

// parse parses a head without its empty line, and reports whether it is served here:
// the grammar of RFC 9112 without anything optional, deprecated or doubtful.
func (h *head) parse(text []byte, paths map[string]bool) bool {
	if h.again(text) {
		return true
	}
	all := string(text) // fields are parts of it
	line, text, _ := bytes.Cut(text, endOfHead[:2])
	target, ok := bytes.CutPrefix(line, []byte(method))
	if !ok {
		return false
	}
	if target, ok = bytes.CutSuffix(target, []byte(version)); !ok || !paths[string(target)] {
		return false
	}
	*h = head{path: string(target), length: -1, fields: make([]field, 0, 16)}
	for len(text) > 0 {
		line, text, _ = bytes.Cut(text, endOfHead[:2])
		at := len(all) - len(text) - len(line) - 2
		if len(h.fields) == maxFields || !h.field(line, all, at) {
			return false
		}
	}
	if h.host == "" || h.length < 0 {
		return false
	}
	h.url, h.header, h.fields = &url.URL{Path: h.path}, headerOf(h.fields), nil
	return true
}

// again parses a head that equals the one before it except for the length, whose
// checks hold for this one.
func (h *head) again(text []byte) bool {
	start, end := len(h.before), len(text)-len(h.after)
	if h.header == nil || start >= end || string(text[:start]) != h.before || string(text[end:]) != h.after {
		return false
	}
	if string(text[start:end]) == h.digits {
		return true
	}
	digits := string(text[start:end])
	if !h.setLength(digits) {
		return false
	}
	h.digits, h.header = digits, maps.Clone(h.header)
	h.header["Content-Length"] = []string{digits}
	return true
}

// field parses one field, given as bytes and by its index in the text.
func (h *head) field(line []byte, all string, at int) bool {
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 || !is(line[:colon], inName) || !is(line[colon:], inValue) {
		return false
	}
	start := at + colon + 1
	name, value := canonical(line[:colon]), strings.Trim(all[start:at+len(line)], " \t")
	switch {
	case others[name]:
		return false
	case name == "Host":
		ok := h.host == "" && value != "" && is([]byte(value), inHost)
		h.host = value
		return ok // net/http keeps it out of Header, too
	case name == "Content-Length":
		if h.length >= 0 || !h.setLength(value) {
			return false
		}
		start += strings.Index(all[start:], value)
		h.before, h.digits, h.after = all[:start], value, all[start+len(value):]
	case name == "Connection" && !strings.EqualFold(value, "keep-alive"):
		return false
	}
	h.fields = append(h.fields, field{name, value})
	return true
}

// setLength parses a length of digits.
func (h *head) setLength(value string) bool {
	if value == "" || len(value) > len("65536") {
		return false
	}
	h.length = 0
	for _, c := range []byte(value) {
		if c < '0' || c > '9' {
			return false
		}
		h.length = 10*h.length + int(c-'0')
	}
	return h.length <= maxBody
}

// headerOf returns fields as a header; their values share one array.
func headerOf(fields []field) http.Header {
	header := make(http.Header, len(fields))
	values := make([]string, len(fields))
	for i, f := range fields {
		values[i] = f.value
		if before := header[f.name]; before != nil {
			header[f.name] = append(before, f.value)
		} else {
			header[f.name] = values[i : i+1 : i+1]
		}
	}
	return header
}
