package clients

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// An object is a JSON object whose members keep their order.
type object []member

type member struct {
	key   string
	value any // string, []string or object
}

// plain is the shape that most clients share.
func plain(e Entry) object {
	return withEnv(object{{"command", e.Command}, {"args", e.Args}}, "env", e.Env)
}

// typed names the transport beside it, as Claude Code and VS Code want.
func typed(e Entry) object {
	return append(object{{"type", "stdio"}}, plain(e)...)
}

// local is OpenCode's shape: program and arguments are one list.
func local(e Entry) object {
	command := append([]string{e.Command}, e.Args...)
	return withEnv(object{{"type", "local"}, {"command", command}}, "environment", e.Env)
}

// withEnv adds the variables when there are any, in the order of their names.
func withEnv(o object, key string, env map[string]string) object {
	if len(env) == 0 {
		return o
	}
	var vars object
	for _, name := range slices.Sorted(maps.Keys(env)) {
		vars = append(vars, member{name, env[name]})
	}
	return append(o, member{key, vars})
}

func (o object) has(key string) bool {
	return slices.ContainsFunc(o, func(m member) bool { return m.key == key })
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, compact(m.key)...)
		out = append(out, ':')
		out = append(out, compact(m.value)...)
	}
	return append(out, '}'), nil
}

// compact is the JSON of a value that is made of strings alone and so cannot
// fail. Paths stay readable: nothing is escaped for HTML.
func compact(v any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // strings, lists and objects of them always encode
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// indented is the JSON of a value over several lines; the lines after the
// first begin with prefix.
func indented(v any, prefix, indent string) []byte {
	var out bytes.Buffer
	_ = json.Indent(&out, compact(v), prefix, indent) // compact made it valid
	return out.Bytes()
}
