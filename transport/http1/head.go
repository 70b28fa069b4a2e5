package http1

import (
	"bytes"
	"strings"
)

// Bounds of the requests that are taken.
const (
	maxHead   = 8 << 10
	maxBody   = 64 << 10
	maxFields = 64
)

// A head is a request's first line and fields. All of it are parts of one text.
type head struct {
	path   string
	host   string
	length int // of the body
	fields []field
}

type field struct{ name, value string }

const (
	method  = "POST "
	version = " HTTP/1.1"
)

var endOfHead = []byte("\r\n\r\n")

// indexHead is where the last line of a head ends, -1 when it is not there.
func indexHead(text []byte) int { return bytes.Index(text, endOfHead) }

// strange says whether the beginning of a head can be none of ours, however it
// goes on.
func strange(text []byte) bool {
	line, _, ok := bytes.Cut(text, []byte("\n"))
	return ok && !bytes.HasSuffix(line, []byte(version+"\r")) || bytes.Contains(text, []byte("\n\n"))
}

// parse reads a head, without the empty line behind it, and says whether it is
// of the form that is taken: the grammar of RFC 9112 without what is optional,
// deprecated or in the least doubtful.
func (h *head) parse(text []byte, paths map[string]bool) bool {
	line, text, _ := bytes.Cut(text, endOfHead[:2])
	target, ok := bytes.CutPrefix(line, []byte(method))
	if !ok {
		return false
	}
	if target, ok = bytes.CutSuffix(target, []byte(version)); !ok || !paths[string(target)] {
		return false
	}
	*h = head{path: string(target), length: -1, fields: h.fields[:0]}
	all := string(text) // fields are parts of it
	for len(text) > 0 {
		line, text, _ = bytes.Cut(text, endOfHead[:2])
		at := len(all) - len(text) - len(line) - 2
		if len(h.fields) == maxFields || !h.field(line, all[at:at+len(line)]) {
			return false
		}
	}
	return h.host != "" && h.length >= 0
}

// field reads one field, which is there as bytes and as a string.
func (h *head) field(line []byte, text string) bool {
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 || !is(line[:colon], inName) || !is(line[colon:], inValue) {
		return false
	}
	name, value := canonical(line[:colon]), strings.Trim(text[colon+1:], " \t")
	switch {
	case others[name]:
		return false
	case name == "Host":
		ok := h.host == "" && value != "" && is([]byte(value), inHost)
		h.host = value
		return ok // it is no member of a Header
	case name == "Content-Length":
		if h.length >= 0 || !h.setLength(value) {
			return false
		}
	case name == "Connection" && !strings.EqualFold(value, "keep-alive"):
		return false
	}
	h.fields = append(h.fields, field{name, value})
	return true
}

// setLength takes a length of digits.
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
