package jsonrpc

import (
	"bytes"
	"math/bits"
)

// An Object walks over the members of an object that was checked before: params
// and results of decoded messages were, other text must pass [Valid] first, or the
// walk may panic. It allocates nothing but the names that have escapes. A name that
// is there twice is visited twice.
//
//	members := jsonrpc.Members(raw)
//	for members.Next() {
//		use(members.Key(), members.Value())
//	}
type Object struct {
	rest       []byte
	key, value []byte
}

// Members returns a walk over obj, whose first byte is its brace.
func Members(obj []byte) Object { return Object{rest: obj[1:]} }

// Next goes to the next member and reports whether there is one.
func (o *Object) Next() bool {
	b := o.rest
	i := skipSpace(b, 0)
	if i < len(b) && b[i] == ',' {
		i = skipSpace(b, i+1)
	}
	if i >= len(b) || b[i] != '"' {
		return false
	}
	end := stringEnd(b, i)
	o.key = b[i:end]
	i = skipSpace(b, skipSpace(b, end)+1)
	end = valueEnd(b, i)
	o.value, o.rest = b[i:end], b[end:]
	return true
}

// Key returns the member's name, without quotes and escapes. It may be a part of the
// text.
func (o *Object) Key() []byte {
	if inside := o.key[1 : len(o.key)-1]; bytes.IndexByte(inside, '\\') < 0 {
		return inside
	}
	return []byte(Unquote(o.key))
}

// Value returns the member's value as it stands in the message.
func (o *Object) Value() []byte { return o.value }

// An Array walks over the elements of an array that was checked before, in the same
// way as an [Object].
type Array struct{ rest, value []byte }

// Elements returns a walk over arr, whose first byte is its bracket.
func Elements(arr []byte) Array { return Array{rest: arr[1:]} }

// Next goes to the next element and reports whether there is one.
func (a *Array) Next() bool {
	b := a.rest
	i := skipSpace(b, 0)
	if i < len(b) && b[i] == ',' {
		i = skipSpace(b, i+1)
	}
	if i >= len(b) || b[i] == ']' {
		return false
	}
	end := valueEnd(b, i)
	a.value, a.rest = b[i:end], b[end:]
	return true
}

// Value returns the element as it stands in the message.
func (a *Array) Value() []byte { return a.value }

// stringEnd returns the index after the checked literal that begins at b[i]. Most are
// short: their ends are found before a search with a start-up cost. A quote behind an odd
// number of backslashes is escaped.
func stringEnd(b []byte, i int) int {
	i++
	for near := i + 2*8; i+8 <= len(b) && i < near; i += 8 {
		if marks := unplain(load8(b, i)) & highs; marks == 0 {
			continue
		} else if at := i + bits.TrailingZeros64(marks)/8; b[at] == '"' {
			return at + 1
		}
		break
	}
	for ; ; i++ {
		i += bytes.IndexByte(b[i:], '"')
		slashes := i
		for b[slashes-1] == '\\' {
			slashes--
		}
		if (i-slashes)%2 == 0 {
			return i + 1
		}
	}
}

// valueEnd returns the index after the checked value that begins at b[i].
func valueEnd(b []byte, i int) int {
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
		return bracketEnd(b, i)
	}
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] > ' ' {
		i++
	}
	return i
}

// bracketEnd returns the end of the object or array that begins at i. The text is valid
// JSON, so that only strings and brackets count.
func bracketEnd(b []byte, i int) int {
	for depth := 0; ; i++ {
		switch b[i] {
		case '"':
			i = stringEnd(b, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}
