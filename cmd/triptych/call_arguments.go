package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// callArguments are the arguments of a tool as the command line has them: an object,
// or texts by name, whose types the tool's schema tells.
type callArguments struct {
	json  json.RawMessage
	texts []namedText
}

// A namedText is KEY=VALUE.
type namedText struct{ name, value string }

// parseArguments parses the words behind the name of a tool.
func parseArguments(a *App, words []string) (callArguments, error) {
	switch {
	case len(words) == 0:
		return callArguments{json: json.RawMessage("{}")}, nil
	case len(words) == 1 && words[0] == "-":
		text, err := readArguments(a)
		if err != nil {
			return callArguments{}, err
		}
		return objectArguments(text)
	case len(words) == 1 && strings.HasPrefix(strings.TrimSpace(words[0]), "{"):
		return objectArguments([]byte(words[0]))
	}
	var given callArguments
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			return given, WithHints(UsageErrorf("the argument %q is neither KEY=VALUE nor a JSON object", word), `arguments look like day=1, or like '{"day": 1}'`)
		}
		if slices.ContainsFunc(given.texts, func(t namedText) bool { return t.name == name }) {
			return given, UsageErrorf("the argument %s is given twice", name)
		}
		given.texts = append(given.texts, namedText{name, value})
	}
	return given, nil
}

func readArguments(a *App) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(a.In, MaxArguments+1))
	if err != nil {
		return nil, fmt.Errorf("reading standard input: %w", err)
	}
	if len(text) > MaxArguments {
		return nil, UsageErrorf("the arguments are longer than %d bytes", MaxArguments)
	}
	return text, nil
}

// objectArguments parses a JSON object. Where it is not valid the error shows the
// place.
func objectArguments(text []byte) (callArguments, error) {
	var object map[string]json.RawMessage
	err := json.Unmarshal(text, &object)
	if err == nil && object != nil {
		return callArguments{json: bytes.TrimSpace(text)}, nil
	}
	where := ""
	if syntax, ok := err.(*json.SyntaxError); ok { //nolint:errorlint // Unmarshal does not wrap it
		at := int(min(syntax.Offset, int64(len(text))))
		where = fmt.Sprintf(": it breaks off or goes wrong after %q", text[max(0, at-20):at])
	}
	return callArguments{}, WithHints(UsageErrorf("the arguments are not a JSON object%s", where), `an object looks like '{"day": 1}'; day=1 does as well`)
}

// object returns the arguments as an object, with the types of the tool's schema.
func (g callArguments) object(ctx context.Context, c *Conversation, tool string) (json.RawMessage, error) {
	if g.texts == nil {
		return g.json, nil
	}
	types, err := argumentTypes(ctx, c, tool)
	if err != nil {
		return nil, err
	}
	object := map[string]json.RawMessage{}
	for _, t := range g.texts {
		if object[t.name], err = typed(t, types[t.name]); err != nil {
			return nil, err
		}
	}
	return json.Marshal(object)
}

// argumentTypes returns the JSON types of a tool's arguments by name. An unknown tool
// has none: the server says that it is unknown.
func argumentTypes(ctx context.Context, c *Conversation, tool string) (map[string]string, error) {
	tools, err := c.Tools(ctx)
	if err != nil {
		return nil, err
	}
	types := map[string]string{}
	for _, t := range tools {
		if t.Name != tool && t.Name != strings.ReplaceAll(tool, "/", "_") {
			continue
		}
		var schema struct {
			Properties map[string]struct {
				Type string `json:"type"`
			} `json:"properties"`
		}
		if err := json.Unmarshal(t.InputSchema, &schema); err != nil {
			return nil, fmt.Errorf("the schema of %s: %w", tool, err)
		}
		for name, property := range schema.Properties {
			types[name] = property.Type
		}
	}
	return types, nil
}

// typed returns the JSON of a value that a tool wants with a type. Texts need no
// quotes, and a list of texts may be parted by commas.
func typed(t namedText, kind string) (json.RawMessage, error) {
	switch kind {
	case "integer", "number", "boolean", "object", "array", "null":
	default:
		return json.Marshal(t.value)
	}
	if kind == "array" && !strings.HasPrefix(t.value, "[") {
		return json.Marshal(strings.Split(t.value, ","))
	}
	var value any
	if err := json.Unmarshal([]byte(t.value), &value); err != nil || !isKind(value, kind) {
		return nil, UsageErrorf("%s is %q, want %s", t.name, t.value, kindForPeople[kind])
	}
	return json.RawMessage(t.value), nil
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
