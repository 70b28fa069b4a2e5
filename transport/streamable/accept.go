package streamable

import (
	"mime"
	"net/http"
	"strings"
)

// An acceptance holds the media types that a client accepts (RFC 9110, section 12.5.1).
type acceptance struct{ json, stream bool }

// usualAccept is the Accept header that the specification demands of clients
// (basic/transports). It is compared first, since nearly all requests have it.
const usualAccept = "application/json, text/event-stream"

// accepted parses Accept. Without one, or with */* only, the client gets JSON, for
// scripts do not read streams. ok is false when it accepts neither type. The transport
// demands both types of clients (basic/transports); this is more lenient, since many send
// one. Of the ranges that match a type the most specific counts. Qualities are not compared,
// except that 0 means no.
func accepted(header http.Header) (a acceptance, ok bool) {
	values := header["Accept"]
	if len(values) == 0 {
		return acceptance{json: true}, true
	}
	if len(values) == 1 && values[0] == usualAccept {
		return acceptance{json: true, stream: true}, true
	}
	var json, stream decision
	for _, value := range values {
		for item := range strings.SplitSeq(value, ",") {
			name, params, _ := strings.Cut(item, ";")
			wanted := !isZero(params)
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "application/json":
				json.by(wanted, 3)
			case "application/*":
				json.by(wanted, 2)
			case "text/event-stream":
				stream.by(wanted, 3)
			case "text/*":
				stream.by(wanted, 2)
			case "*/*":
				json.by(wanted, 1)
				stream.by(wanted, 1)
			}
		}
	}
	if stream.specific == 1 && json.wanted {
		stream.wanted = false // a client that takes anything gets JSON
	}
	return acceptance{json.wanted, stream.wanted}, json.wanted || stream.wanted
}

// A decision is whether a media type is wanted, by the most specific range so far.
type decision struct {
	wanted   bool
	specific int
}

// by notes what a range says. Of two that are equally specific, the one that wants the type
// counts.
func (d *decision) by(wanted bool, specific int) {
	if specific > d.specific || specific == d.specific && wanted {
		d.wanted, d.specific = wanted, specific
	}
}

// isZero reports whether the parameters have a quality of 0: not acceptable.
func isZero(params string) bool {
	for p := range strings.SplitSeq(params, ";") {
		if q, ok := strings.CutPrefix(strings.TrimSpace(p), "q="); ok {
			return strings.Trim(q, "0.") == ""
		}
	}
	return false
}

// isJSON reports whether a Content-Type is that of JSON, with or without parameters. A
// browser sends other types without asking the server first, so this check keeps web
// pages of foreign origins from posting.
func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "application/json"
}
