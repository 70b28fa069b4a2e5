package http1

import (
	"net/textproto"
	"strings"
)

// names maps header names as clients write them to their canonical form, without an
// allocation.
var names = spellings(
	"Accept", "Accept-Encoding", "Accept-Language", "Authorization", "Cache-Control", "Connection", "Content-Length",
	"Content-Type", "Cookie", "Host", "Last-Event-Id", "Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version", "Mcp-Session-Id",
	"Origin", "Referer", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site", "Traceparent", "Tracestate",
	"User-Agent", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "X-Request-Id",
)

// spellings returns a table from the canonical and the lower-case spelling of names to
// the canonical one, so that a head with usual names allocates no strings for them.
func spellings(canonical ...string) map[string]string {
	all := map[string]string{}
	for _, name := range canonical {
		all[name], all[strings.ToLower(name)] = name, name
	}
	return all
}

// canonical returns the canonical form of a name, as in [http.Header].
func canonical(name []byte) string {
	if known, ok := names[string(name)]; ok {
		return known
	}
	return textproto.CanonicalMIMEHeaderKey(string(name))
}

// others holds the headers that change the meaning or the framing of a request, and those
// that net/http handles itself. A request with one goes to net/http.
var others = map[string]bool{
	"Expect": true, "Http2-Settings": true, "Keep-Alive": true, "Pragma": true, "Proxy-Connection": true, "Te": true,
	"Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
}

// A class is a set of the elements that a byte may be part of.
type class uint8

const (
	inName  class = 1 << iota // tchar, RFC 9110 section 5.6.2
	inValue                   // a field's value without obs-text, section 5.5
	inHost                    // a host and port without anything to decode
)

// classes holds the classes of each byte: those of RFC 9110, sections 5.5 and 5.6.2,
// for values and tokens.
var classes = func() (table [256]class) {
	for c := range table {
		if c >= 0x20 && c < 0x7f || c == '\t' {
			table[c] |= inValue
		}
	}
	mark := func(as class, chars string) {
		for _, c := range []byte(chars) {
			table[c] |= as
		}
	}
	const alphanumeric = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	mark(inName|inHost, alphanumeric)
	mark(inName, "!#$%&'*+-.^_`|~")
	mark(inHost, "-._:[]")
	return table
}()

// is reports whether all bytes are of a class; it is true of no bytes.
func is(b []byte, c class) bool {
	for _, x := range b {
		if classes[x]&c == 0 {
			return false
		}
	}
	return true
}
