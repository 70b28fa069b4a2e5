package jsonrpc

import (
	"bytes"
	"errors"
	"maps"
	"strings"
	"sync/atomic"
)

// A message is one decoded message: exactly one of the three is there.
type message struct {
	request  Request // when kind is isRequest
	response Response
	err      *Error // why it is neither; id is in request.ID if it could be read
	kind     messageKind
}

// A messageKind is the kind of a message among JSON-RPC's objects.
type messageKind uint8

const (
	isRequest messageKind = iota
	isResponse
	isBroken
)

// A decoder finds the envelope of messages. It keeps the names of methods, so that the
// usual ones are not allocated each time, and the last one at hand, which often is the
// next. It belongs to one goroutine, except the shared names.
type decoder struct {
	depth   int
	methods map[string]string // nil keeps but the last
	last    string            // has no backslash: it is itself what its literal quotes
	shared  *methodNames      // used in place of methods, nil when there are some
}

// Bounds of the names that a decoder keeps: how many there are, and how many
// bytes the literal of one has.
const (
	maxMethods = 256
	maxMethod  = 128
)

// newDecoder returns a decoder that refuses values nested deeper than depth.
func newDecoder(depth int) *decoder {
	return &decoder{depth: depth, methods: map[string]string{}}
}

// An envelope is the spans of the members that JSON-RPC knows.
type envelope struct{ version, id, method, params, result, err []byte }

// member returns the field that takes the value of that key, nil for other
// keys. Only what is not found as it stands can have escapes.
func (e *envelope) member(lit []byte) *[]byte {
	span := e.named(lit[1 : len(lit)-1])
	if span == nil && bytes.IndexByte(lit, '\\') >= 0 {
		span = e.named([]byte(Unquote(lit)))
	}
	return span
}

// named returns where the value of the member with a name belongs, nil for members that
// JSON-RPC does not have: they are ignored.
func (e *envelope) named(key []byte) *[]byte {
	switch string(key) {
	case "jsonrpc":
		return &e.version
	case "id":
		return &e.id
	case "method":
		return &e.method
	case "params":
		return &e.params
	case "result":
		return &e.result
	case "error":
		return &e.err
	}
	return nil
}

// decode reads one message, which begins at the first byte of b that is no
// space. It checks all of it in one pass.
func (d *decoder) decode(b []byte, m *message) {
	*m = message{}
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '{' {
		m.refuse("a message must be an object")
		if err := Valid(b, d.depth); err != nil {
			d.unreadable(b, err, m)
		}
		return
	}
	var e envelope
	twice, end, err := e.scan(b, i, d.depth)
	if rest := skipSpace(b, end); err == nil && rest != len(b) {
		err = &SyntaxError{rest, afterValue}
	}
	if err != nil {
		d.unreadable(b, err, m)
		return
	}
	d.classify(&e, twice, m)
}

// scan checks the object at b[i] and notes the members of the envelope; twice
// names a member that is there twice.
func (e *envelope) scan(b []byte, i, depth int) (twice string, end int, err error) {
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return "", i + 1, nil
	}
	for {
		value, keyEnd, err := scanKey(b, i)
		if err != nil {
			return "", 0, err
		}
		key := b[i:keyEnd]
		if i, err = scanValue(b, value, depth-1); err != nil {
			return "", 0, err
		}
		if span := e.member(key); span != nil {
			if *span != nil {
				twice = Unquote(key)
			}
			*span = b[value:i]
		}
		i = skipSpace(b, i)
		if i < len(b) && b[i] == '}' {
			return twice, i + 1, nil
		}
		if i >= len(b) || b[i] != ',' {
			return "", 0, &SyntaxError{i, "expected a comma or the end of the object"}
		}
		i = skipSpace(b, i+1)
	}
}

// classify decides what a message is, by the rules of sections 4 and 5. A method makes it
// a request whatever else it has; a result or error without one makes it a response. The
// id is kept for the refusal of a broken message where it can be read.
func (d *decoder) classify(e *envelope, twice string, m *message) {
	if twice != "id" && (isText(e.id) || isNumeric(e.id)) {
		m.request.ID = ID{e.id}
	}
	switch {
	case twice != "":
		m.refuse("the member %s is there twice", twice)
	case string(e.version) != `"2.0"`:
		m.refuse(`jsonrpc must be "2.0"`)
	case e.method == nil && (e.result != nil || e.err != nil):
		d.classifyResponse(e, m)
	case !isText(e.method):
		m.refuse("method must be a string")
	case e.id != nil && m.request.ID.IsZero():
		m.refuse("id must be a string or a number")
	case e.params == nil || e.params[0] == '{' || e.params[0] == '[':
		m.request.Method, m.request.Params = d.method(e.method), e.params
	case e.params[0] == 'n': // clients that have no params may say so
		m.request.Method = d.method(e.method)
	default:
		m.refuse("params must be an object or an array")
	}
}

// unreadable makes a message one that is answered with the reason for which it cannot be
// decoded. Where the brackets and quotes of the text are right its id can be read all the
// same, and a client that awaits the answer gets it.
func (d *decoder) unreadable(text []byte, err error, m *message) {
	m.kind, m.err = isBroken, parseError(err)
	syntax, ok := errors.AsType[*SyntaxError](err)
	if !ok || syntax.What != tooDeep && syntax.What != notUTF8 {
		return
	}
	var f idFinder
	if end := f.feed(text); end < 0 || skipSpace(text, end) != len(text) {
		return
	}
	m.request.ID = f.id()
	m.err = d.refusal(err)
}

// refusal returns the error of a text whose brackets and quotes are right: one that is nested
// too deeply is JSON, and one that is not in UTF-8 is none.
func (d *decoder) refusal(err error) *Error {
	if syntax, ok := errors.AsType[*SyntaxError](err); ok && syntax.What == tooDeep {
		return invalidRequest("nested deeper than %d levels at byte %d", d.depth, syntax.Offset)
	}
	return parseError(err)
}

// refuse makes a message one that is answered with "Invalid Request" and the reason.
func (m *message) refuse(format string, args ...any) {
	m.kind, m.err = isBroken, invalidRequest(format, args...)
}

// classifyResponse makes a message a response. An error member counts even if there is
// a result beside it, which section 5 of JSON-RPC 2.0 forbids.
func (d *decoder) classifyResponse(e *envelope, m *message) {
	m.kind = isResponse
	m.response = Response{ID: m.request.ID, Result: e.result}
	if e.err != nil {
		m.response.Result, m.response.Error = nil, decodeError(e.err)
	}
}

// decodeError reads the error member of a response; what has another form than
// the specification's is an internal error of the other side.
func decodeError(raw []byte) *Error {
	e := &Error{Code: CodeInternalError, Message: "the answer's error has no message"}
	if raw[0] != '{' {
		return e
	}
	members := Members(raw)
	for members.Next() {
		switch v := members.Value(); string(members.Key()) {
		case "code":
			if n, ok := parseInt(v); ok {
				e.Code = Code(n)
			}
		case "message":
			if isText(v) {
				e.Message = Unquote(v)
			}
		case "data":
			e.Data = append([]byte(nil), v...)
		}
	}
	return e
}

// parseInt parses a number of at most 15 digits, which every float64 holds exactly. It
// reports false for all others: fractions, exponents and larger numbers, which are
// compared as they are spelled.
func parseInt(raw []byte) (n int64, ok bool) {
	negative := len(raw) > 0 && raw[0] == '-'
	if negative {
		raw = raw[1:]
	}
	if len(raw) == 0 || len(raw) > 15 || skipDigits(raw, 0) != len(raw) {
		return 0, false
	}
	for _, c := range raw {
		n = n*10 + int64(c-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

// methodNames holds names of methods for decoders of single messages, which all
// share it. Readers take no lock: a writer replaces the map. There are maxMethods
// names at most, the first that were seen; others are allocated each time.
type methodNames struct {
	names atomic.Pointer[map[string]string]
}

// bodyMethods holds the names of methods that bodies have used, shared by all of them.
var bodyMethods methodNames

// name returns the name of a method that a literal quotes.
func (m *methodNames) name(lit []byte) string {
	known := m.names.Load()
	if known != nil {
		if name, ok := (*known)[string(lit)]; ok {
			return name
		}
	}
	name := Unquote(lit)
	if len(lit) > maxMethod || known != nil && len(*known) >= maxMethods {
		return name
	}
	more := map[string]string{}
	if known != nil {
		maps.Copy(more, *known)
	}
	more[string(lit)] = name
	m.names.CompareAndSwap(known, &more) // another name may have come first: this one is seen again
	return name
}

// method is the name as a string, from memory if it was seen before.
func (d *decoder) method(lit []byte) string {
	if string(lit[1:len(lit)-1]) == d.last {
		return d.last
	}
	if d.shared != nil {
		return d.shared.name(lit)
	}
	name, ok := d.methods[string(lit)]
	if !ok {
		name = Unquote(lit)
	}
	if len(lit) > maxMethod {
		return name
	}
	if !ok && d.methods != nil && len(d.methods) < maxMethods {
		d.methods[string(lit)] = name
	}
	if strings.IndexByte(name, '\\') < 0 {
		d.last = name
	}
	return name
}

// isText reports whether a valid JSON value is a string.
func isText(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }

// isNumeric reports whether a valid JSON value is a number.
func isNumeric(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '-' || isDigit(raw[0]))
}

// isBatch reports whether the line's first byte is an array's.
func isBatch(b []byte) bool {
	i := skipSpace(b, 0)
	return i < len(b) && b[i] == '['
}
