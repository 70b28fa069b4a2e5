package toolcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// Arguments are the arguments of a tool as the command line has them: an object,
// or texts by name, whose types the tool's schema tells.
type Arguments struct {
	JSON  json.RawMessage
	Texts []NamedText
}

// A NamedText is KEY=VALUE.
type NamedText struct{ Name, Value string }

// ParseArguments parses the words behind the name of a tool.
func ParseArguments(in *cmdio.IO, words []string) (Arguments, error) {
	switch {
	case len(words) == 0:
		return Arguments{JSON: json.RawMessage("{}")}, nil
	case len(words) == 1 && words[0] == "-":
		text, err := readArguments(in)
		if err != nil {
			return Arguments{}, err
		}
		return objectArguments(text)
	case len(words) == 1 && strings.HasPrefix(strings.TrimSpace(words[0]), "{"):
		return objectArguments([]byte(words[0]))
	}
	var given Arguments
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			return given, cmderr.WithHints(cmderr.UsageErrorf("the argument %q is neither KEY=VALUE nor a JSON object", word), `arguments look like day=1, or like '{"day": 1}'`)
		}
		if slices.ContainsFunc(given.Texts, func(t NamedText) bool { return t.Name == name }) {
			return given, cmderr.UsageErrorf("the argument %s is given twice", name)
		}
		given.Texts = append(given.Texts, NamedText{Name: name, Value: value})
	}
	return given, nil
}

func readArguments(in *cmdio.IO) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in.In, app.MaxArguments+1))
	if err != nil {
		return nil, fmt.Errorf("reading standard input: %w", err)
	}
	if len(text) > app.MaxArguments {
		return nil, cmderr.UsageErrorf("the arguments are longer than %d bytes", app.MaxArguments)
	}
	return text, nil
}

// objectArguments parses a JSON object. Where it is not valid the error shows the
// place.
func objectArguments(text []byte) (Arguments, error) {
	var object map[string]json.RawMessage
	err := json.Unmarshal(text, &object)
	if err == nil && object != nil {
		return Arguments{JSON: bytes.TrimSpace(text)}, nil
	}
	where := ""
	if syntax, ok := err.(*json.SyntaxError); ok { //nolint:errorlint // Unmarshal does not wrap it
		at := int(min(syntax.Offset, int64(len(text))))
		where = fmt.Sprintf(": it breaks off or goes wrong after %q", text[max(0, at-20):at])
	}
	return Arguments{}, cmderr.WithHints(cmderr.UsageErrorf("the arguments are not a JSON object%s", where), `an object looks like '{"day": 1}'; day=1 does as well`)
}

// Object returns the arguments as an object, with the types of the tool's schema.
func (g Arguments) Object(ctx context.Context, c *app.Conversation, tool string) (json.RawMessage, error) {
	if g.Texts == nil {
		return g.JSON, nil
	}
	tools, err := c.Tools(ctx)
	if err != nil {
		return nil, err
	}
	arguments, err := argumentsOf(tools, tool)
	if err != nil {
		return nil, err
	}
	object := map[string]json.RawMessage{}
	for _, t := range g.Texts {
		if object[t.Name], err = typed(t, arguments[t.Name].Type); err != nil {
			return nil, err
		}
	}
	return json.Marshal(object)
}

// An argument holds the part of a tool's schema about one of its arguments.
type argument struct {
	Type        string `json:"type"`
	Enum        []any  `json:"enum"`
	Description string `json:"description"`
}

// offered returns what a shell offers for the argument: "name=value" for each value that there
// is, or "name=" with the meaning.
func (a argument) offered(name string) (values []string) {
	if a.Type == "boolean" {
		a.Enum = []any{true, false}
	}
	for _, v := range a.Enum {
		values = append(values, fmt.Sprint(name, "=", v))
	}
	if values == nil {
		values = []string{name + "=\t" + plain.Line(a.Description)}
	}
	return values
}

// argumentsOf returns a tool's arguments by name. An unknown tool has none: the server says
// that it is unknown.
func argumentsOf(tools []app.ToolInfo, tool string) (map[string]argument, error) {
	for _, t := range tools {
		if t.Name != tool && t.Name != strings.ReplaceAll(tool, "/", "_") {
			continue
		}
		var schema struct {
			Properties map[string]argument `json:"properties"`
		}
		if err := json.Unmarshal(t.InputSchema, &schema); err != nil {
			return nil, fmt.Errorf("the schema of %s: %w", tool, err)
		}
		return schema.Properties, nil
	}
	return nil, nil
}

// typed returns the JSON of a value that a tool wants with a type. Texts need no
// quotes, and a list of texts may be parted by commas.
func typed(t NamedText, kind string) (json.RawMessage, error) {
	switch kind {
	case "integer", "number", "boolean", "object", "array", "null":
	case "":
		return guessed(t.Value)
	default:
		return json.Marshal(t.Value)
	}
	if kind == "array" && !strings.HasPrefix(t.Value, "[") {
		return json.Marshal(strings.Split(t.Value, ","))
	}
	var value any
	if err := json.Unmarshal([]byte(t.Value), &value); err != nil || !isKind(value, kind) {
		return nil, cmderr.UsageErrorf("%s is %q, want %s", t.Name, t.Value, kindForPeople[kind])
	}
	return json.RawMessage(t.Value), nil
}

// guessed returns the JSON of the value of an argument that tools/list does not name: numbers,
// booleans, lists and objects as they are written, and anything else as a text.
func guessed(text string) (json.RawMessage, error) {
	var value any
	if json.Unmarshal([]byte(text), &value) == nil && value != nil {
		return json.RawMessage(text), nil
	}
	return json.Marshal(text)
}

var kindForPeople = map[string]string{
	"integer": "a whole number", "number": "a number", "boolean": "true or false",
	"object": "a JSON object", "array": "a JSON array or values parted by commas", "null": "null",
}

// isKind reports whether a value is of a JSON type.
func isKind(value any, kind string) bool {
	switch v := value.(type) {
	case float64:
		return kind == "number" || kind == "integer" && v == float64(int64(v))
	case bool:
		return kind == "boolean"
	case map[string]any:
		return kind == "object"
	case []any:
		return kind == "array"
	}
	return kind == "null" && value == nil
}
