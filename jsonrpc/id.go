package jsonrpc

import "strconv"

// An ID is the id of a request, kept as the JSON text that was sent, so that
// it goes back byte for byte: 1.0, 1e2 and "\u0061" are not spelled anew. The
// zero ID is no id at all. An ID of a decoded message shares its memory.
type ID struct{ raw []byte }

// RawID returns the id with that JSON text, which must be a string or number.
func RawID(raw []byte) ID { return ID{raw} }

// NumberID returns a numeric id.
func NumberID(n int64) ID { return ID{strconv.AppendInt(nil, n, 10)} }

// StringID returns a string id.
func StringID(s string) ID { return ID{AppendString(nil, s)} }

// IsZero reports whether there is no id.
func (id ID) IsZero() bool { return len(id.raw) == 0 }

// Raw returns the JSON text. It must not be changed.
func (id ID) Raw() []byte { return id.raw }

// String returns the JSON text; equal texts are equal ids.
func (id ID) String() string { return string(id.raw) }

// Clone returns an id with memory of its own.
func (id ID) Clone() ID { return ID{append([]byte(nil), id.raw...)} }
