package clients

import (
	"bytes"
	"slices"
	"strings"
)

// setTOML gives a member of the table at path its value. The text was decoded
// before, so it is valid; where this simple edit would be wrong the caller's
// proof fails.
func setTOML(text []byte, path []string, m member) []byte {
	full := append(slices.Clone(path), m.key)
	items := scanTOML(text)
	inner, nested := m.value.(object)
	if i := slices.IndexFunc(items, isKey(full)); i >= 0 {
		span := items[i].value
		if nested {
			return addInline(text, span, inner)
		}
		return splice(text, span.start, span.end, tomlValue(m.value))
	}
	if nested && slices.ContainsFunc(items, isTable(full)) {
		for _, m := range inner {
			text = setTOML(text, full, m)
		}
		return text
	}
	line := tomlKey(m.key) + " = " + tomlValue(m.value)
	if i := slices.IndexFunc(items, isTable(path)); i >= 0 {
		return insertLine(text, lastOf(items, i).value.end, line)
	}
	return appendTable(text, path, line)
}

func isKey(full []string) func(tomlItem) bool {
	return func(it tomlItem) bool { return !it.header && slices.Equal(it.path, full) }
}

func isTable(path []string) func(tomlItem) bool {
	return func(it tomlItem) bool { return it.header && slices.Equal(it.path, path) }
}

// lastOf is the last item of the table whose header is items[i].
func lastOf(items []tomlItem, i int) tomlItem {
	for i+1 < len(items) && !items[i+1].header {
		i++
	}
	return items[i]
}

func splice(text []byte, start, end int, fresh string) []byte {
	return slices.Concat(text[:start], []byte(fresh), text[end:])
}

// addInline adds members to an inline table.
func addInline(text []byte, table span, members object) []byte {
	closing := table.end - 1
	body := bytes.TrimSpace(text[table.start+1 : closing])
	fresh := tomlValue(members)
	fresh = fresh[len("{ ") : len(fresh)-len(" }")]
	if len(body) == 0 {
		return splice(text, table.start, table.end, "{ "+fresh+" }")
	}
	return splice(text, table.start, table.end, "{ "+string(body)+", "+fresh+" }")
}

// insertLine puts a line below the one that at is in.
func insertLine(text []byte, at int, line string) []byte {
	newline := layoutOf(text).newline
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return splice(text, at+i+1, at+i+1, line+newline)
	}
	return splice(text, len(text), len(text), newline+line+newline)
}

// appendTable puts a new table at the end of the file.
func appendTable(text []byte, path []string, line string) []byte {
	newline := layoutOf(text).newline
	keys := make([]string, len(path))
	for i, step := range path {
		keys[i] = tomlKey(step)
	}
	out := slices.Clone(text)
	if !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, newline...)
	}
	return append(out, newline+"["+strings.Join(keys, ".")+"]"+newline+line+newline...)
}
