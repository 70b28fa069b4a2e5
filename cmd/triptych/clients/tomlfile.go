package clients

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// tomlSyntax edits TOML as text, so that comments and order stay, and lets a
// decoder judge the file before and after.
var tomlSyntax = syntax{render: renderTOML, merge: mergeTOML, member: memberTOML}

func renderTOML(key, name string, entry object) []byte {
	var out bytes.Buffer
	out.WriteString("[" + key + "." + tomlKey(name) + "]\n")
	for _, m := range entry {
		out.WriteString(tomlKey(m.key) + " = " + tomlValue(m.value) + "\n")
	}
	return out.Bytes()
}

func mergeTOML(old []byte, key, name string, entry object) ([]byte, error) {
	before, err := decodeTOML(old)
	if err != nil {
		return nil, err
	}
	want, err := wanted(before, key, name, entry)
	if err != nil {
		return nil, err
	}
	if reflect.DeepEqual(before, want) {
		return old, nil
	}
	text := old
	for _, m := range entry {
		text = setTOML(text, []string{key, name}, m)
	}
	// The proof that the edit did what it should and nothing else.
	after, err := decodeTOML(text)
	if err != nil || !reflect.DeepEqual(after, want) {
		return nil, invalid("the way it writes [%s.%s] cannot be edited safely; please do it by hand", key, name)
	}
	return text, nil
}

func memberTOML(old []byte, key, name, member string) (any, error) {
	all, err := decodeTOML(old)
	if err != nil {
		return nil, err
	}
	servers, _ := all[key].(map[string]any)
	server, _ := servers[name].(map[string]any)
	return server[member], nil
}

func decodeTOML(text []byte) (map[string]any, error) {
	var all map[string]any
	if err := toml.Unmarshal(bytes.TrimPrefix(text, byteOrderMark), &all); err != nil {
		return nil, invalid("it is not valid TOML: %s", located(err))
	}
	if all == nil {
		all = map[string]any{}
	}
	return all, nil
}

// located is a decoder's error with its place.
func located(err error) string {
	reason := strings.TrimPrefix(err.Error(), "toml: ")
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		row, column := at.Position()
		return fmt.Sprintf("line %d, column %d: %s", row, column, reason)
	}
	return reason
}

// wanted returns the contents of the file after the edit. Maps are copied on the way
// down, so before stays as it is.
func wanted(before map[string]any, key, name string, entry object) (map[string]any, error) {
	all := copyMap(before)
	server := all
	for _, step := range []string{key, name} {
		inner, isTable := server[step].(map[string]any)
		if server[step] != nil && !isTable {
			return nil, invalid("%q is not a table", step)
		}
		inner = copyMap(inner)
		server[step] = inner
		server = inner
	}
	for _, m := range entry {
		server[m.key] = tomlPlain(server[m.key], m.value)
	}
	return all, nil
}

// tomlPlain is a value as the decoder would return it; an object is laid over
// what was there.
func tomlPlain(before, v any) any {
	switch v := v.(type) {
	case []string:
		items := make([]any, len(v))
		for i, s := range v {
			items[i] = s
		}
		return items
	case object:
		over, _ := before.(map[string]any)
		over = copyMap(over)
		for _, m := range v {
			over[m.key] = m.value
		}
		return over
	}
	return v
}

func copyMap(m map[string]any) map[string]any {
	c := make(map[string]any, len(m)+1)
	maps.Copy(c, m)
	return c
}

// tomlKey is a bare key where it can be, else a quoted one.
func tomlKey(key string) string {
	for _, r := range key {
		if !bareKeyRune(r) {
			return string(compact(key))
		}
	}
	if key == "" {
		return `""`
	}
	return key
}

func bareKeyRune(r rune) bool {
	return r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// tomlValue is a value on one line. TOML's basic strings know all escapes that
// JSON's writer uses.
func tomlValue(v any) string {
	switch v := v.(type) {
	case []string:
		items := make([]string, len(v))
		for i, s := range v {
			items[i] = string(compact(s))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case object:
		items := make([]string, len(v))
		for i, m := range v {
			items[i] = tomlKey(m.key) + " = " + tomlValue(m.value)
		}
		return "{ " + strings.Join(items, ", ") + " }"
	}
	return string(compact(v))
}
