package http1

import (
	"bytes"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

// Bounds of the requests that are taken.
const (
	maxHead   = 8 << 10
	maxBody   = 64 << 10
	maxFields = 64
)

// A head is a request's first line and fields. All of it are parts of one text,
// and stays as it is when the next head is parsed. A client's next head is mostly
// the one before it, but for the length: then requests share what is made of it.
type head struct {
	path   string
	host   string
	length int     // of the body
	fields []field // until it is parsed

	url    *url.URL
	header http.Header // nil when it is not taken

	before, digits, after string // the text, cut about the length
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

// again takes a head that is the one before it, but for the length. What was
// checked of that one is so of this one.
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

// field reads one field, which is there as bytes and in the whole text.
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
		return ok // it is no member of a Header
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
