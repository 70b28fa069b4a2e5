package clients

import (
	"bytes"
	"encoding/json"
	"slices"
)

// A tomlItem is a table header, or a key with its value; path is the whole way
// to it from the top. A header's value is the place behind it.
type tomlItem struct {
	header bool
	path   []string
	value  span
}

type span struct{ start, end int }

// scanTOML finds the items of a valid file.
func scanTOML(text []byte) []tomlItem {
	var items []tomlItem
	var table []string
	pos := 0
	for {
		pos = skipBlank(text, pos)
		if pos >= len(text) {
			return items
		}
		var it tomlItem
		if text[pos] == '[' {
			it = scanHeader(text, pos)
			table = it.path
		} else {
			it = scanKey(text, pos, table)
		}
		items = append(items, it)
		pos = lineEnd(text, it.value.end)
	}
}

// scanHeader reads "[a.b]" or "[[a.b]]"; pos is at the first bracket.
func scanHeader(text []byte, pos int) tomlItem {
	for pos < len(text) && text[pos] == '[' {
		pos++
	}
	path, pos := scanPath(text, pos)
	return tomlItem{header: true, path: path, value: span{pos, pos}}
}

// scanKey reads "a.b = value".
func scanKey(text []byte, pos int, table []string) tomlItem {
	path, pos := scanPath(text, pos)
	if pos < len(text) && text[pos] == '=' {
		pos++
	}
	for pos < len(text) && (text[pos] == ' ' || text[pos] == '\t') {
		pos++
	}
	return tomlItem{path: slices.Concat(table, path), value: span{pos, valueEnd(text, pos)}}
}

// scanPath reads a dotted key up to the "=" or "]" behind it.
func scanPath(text []byte, pos int) (path []string, end int) {
	for pos < len(text) {
		switch c := text[pos]; {
		case c == '"' || c == '\'':
			end := stringEnd(text, pos)
			path = append(path, unquoteTOML(text[pos:end]))
			pos = end
		case bareKeyRune(rune(c)):
			end := pos
			for end < len(text) && bareKeyRune(rune(text[end])) {
				end++
			}
			path = append(path, string(text[pos:end]))
			pos = end
		case c == '.' || c == ' ' || c == '\t':
			pos++
		default:
			return path, pos
		}
	}
	return path, pos
}

func unquoteTOML(quoted []byte) string {
	var s string
	if json.Unmarshal(quoted, &s) == nil {
		return s
	}
	return string(bytes.Trim(quoted, `'"`))
}

// valueEnd returns the end of the value that begins at pos.
func valueEnd(text []byte, pos int) int {
	start, depth := pos, 0
	for pos < len(text) {
		switch text[pos] {
		case '"', '\'':
			pos = stringEnd(text, pos)
			if depth == 0 {
				return pos
			}
			continue
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth <= 0 {
				return pos + 1
			}
		case '#', '\n':
			if depth == 0 {
				return start + len(bytes.TrimRight(text[start:pos], " \t\r"))
			}
			if text[pos] == '#' {
				pos = lineEnd(text, pos)
				continue
			}
		}
		pos++
	}
	return start + len(bytes.TrimRight(text[start:pos], " \t\r"))
}

// stringEnd is the place behind the string that begins at pos.
func stringEnd(text []byte, pos int) int {
	quote := text[pos : pos+1]
	if long := bytes.Repeat(quote, 3); bytes.HasPrefix(text[pos:], long) {
		end := closing(text, pos+3, long)
		for end < len(text) && text[end] == quote[0] { // up to two quotes may end the text itself
			end++
		}
		return end
	}
	return closing(text, pos+1, quote)
}

func closing(text []byte, pos int, quote []byte) int {
	for pos < len(text) && !bytes.HasPrefix(text[pos:], quote) {
		if text[pos] == '\\' && quote[0] == '"' {
			pos++
		}
		pos++
	}
	return min(pos+len(quote), len(text))
}

// skipBlank passes over white space and comments between items.
func skipBlank(text []byte, pos int) int {
	for pos < len(text) {
		switch text[pos] {
		case ' ', '\t', '\r', '\n':
			pos++
		case '#':
			pos = lineEnd(text, pos)
		default:
			return max(pos, markEnd(text, pos))
		}
	}
	return pos
}

// markEnd passes over a byte-order mark.
func markEnd(text []byte, pos int) int {
	if bytes.HasPrefix(text[pos:], byteOrderMark) {
		return skipBlank(text, pos+len(byteOrderMark))
	}
	return pos
}

func lineEnd(text []byte, pos int) int {
	if i := bytes.IndexByte(text[pos:], '\n'); i >= 0 {
		return pos + i
	}
	return len(text)
}
