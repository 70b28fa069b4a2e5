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

// A head is the request line and the fields of a request, as parts of one immutable text.
// A client's next head mostly differs in the length only: then the requests share the
// parsed fields, the URL and the header. That is why handlers must not change those.
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

// indexHead returns the index of the end of the last line of a head, -1 if the empty line
// that ends a head is not in the text yet. Lines must end with CR LF; RFC 9112, section
// 2.2, lets servers accept a bare LF, and net/http does.
func indexHead(text []byte) int { return bytes.Index(text, endOfHead) }

// strange reports whether the beginning of a head suffices to leave it to net/http: the
// first line is not one of HTTP/1.1, or a line ends without CR. Without it a client of
// HTTP/1.0, whose head has another end, would wait for the deadline.
func strange(text []byte) bool {
	line, _, ok := bytes.Cut(text, []byte("\n"))
	return ok && !bytes.HasSuffix(line, []byte(version+"\r")) || bytes.Contains(text, []byte("\n\n"))
}

// parse parses a head without its empty line, and reports whether it is served here: the
// grammar of RFC 9112 without anything optional, deprecated or doubtful. After false the
// fields of h are undefined but for the next parse, which starts again.
//
// Required are one of the paths, byte by byte and without a query; exactly one Host
// (section 3.2); exactly one Content-Length of digits (section 6.2), so that no two
// readers can disagree on where the request ends; and no field of those in others,
// Transfer-Encoding above all (section 6.1).
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

// again parses a head that equals the one before it except for the length, whose checks
// hold for this one: the same bytes have the same meaning. It reports false for any other
// head. The header is copied when the length differs, since a handler may still hold the
// one before.
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

// field parses one field line (RFC 9112, section 5), given as bytes and by its index in
// the text, and reports whether it is served here. A line without a colon, with white
// space before the colon, or folded over two lines is not (sections 5.1 and 5.2).
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

// setLength parses a length of digits and reports whether a body of that length is served
// here. A sign, a list or white space is not a length here.
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

// headerOf returns fields as a header; their values share one array. Each slice has no
// capacity beyond its value, so that appending to one copies it.
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
