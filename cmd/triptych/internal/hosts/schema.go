package hosts

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// Hosts and the APIs of models take less than JSON Schema allows, and one tool that they do
// not take costs all tools of a server.
var (
	toolName     = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	propertyName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
)

// maxDescription is the longest description that the APIs of models take, in bytes.
const maxDescription = 1024

// maxSchemaDepth ends the walk through a schema.
const maxSchemaDepth = 64

// combinators are the members that the root of a schema may not have.
var combinators = []string{
	"anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "$dynamicRef", "$defs", "definitions", "dependentSchemas", "const",
}

// kinds are the types that every host takes.
var kinds = []string{"object", "array", "string", "integer", "number", "boolean"}

// ToolFaults returns what hosts do not take in a tool of tools/list, each with the name of the
// tool. A tool that cannot be read is one fault.
func ToolFaults(raw json.RawMessage) []string {
	var tool struct {
		Name         string         `json:"name"`
		Description  string         `json:"description"`
		InputSchema  map[string]any `json:"inputSchema"`
		OutputSchema map[string]any `json:"outputSchema"`
	}
	if err := json.Unmarshal(raw, &tool); err != nil {
		return []string{"a tool cannot be read: " + err.Error()}
	}
	w := walk{tool: tool.Name}
	if !toolName.MatchString(tool.Name) {
		w.fault("the name does not match %s", toolName)
	}
	if n := len(tool.Description); n > maxDescription {
		w.fault("the description has %d bytes, more than %d", n, maxDescription)
	}
	w.root("inputSchema", tool.InputSchema)
	if tool.OutputSchema != nil {
		w.root("outputSchema", tool.OutputSchema)
	}
	return w.faults
}

// A walk goes through the schemas of a tool.
type walk struct {
	tool   string
	faults []string
}

func (w *walk) fault(format string, args ...any) {
	w.faults = append(w.faults, w.tool+": "+fmt.Sprintf(format, args...))
}

// root checks what holds for the root alone.
func (w *walk) root(name string, schema map[string]any) {
	if schema["type"] != "object" {
		w.fault("%s: its root has no type object", name)
	}
	for _, key := range combinators {
		if _, has := schema[key]; has {
			w.fault("%s: its root has %s", name, key)
		}
	}
	w.inner(name, schema, 0)
}

// inner checks a schema and all schemas in it.
func (w *walk) inner(path string, schema map[string]any, depth int) {
	if depth > maxSchemaDepth {
		w.fault("%s nests too deep", path)
		return
	}
	if kind, has := schema["type"].(string); has && !slices.Contains(kinds, kind) {
		w.fault("%s has the type %s", path, kind)
	}
	items, _ := schema["items"].(map[string]any)
	if schema["type"] == "array" && len(items) == 0 {
		w.fault("%s has items of no type", path)
	}
	if items != nil {
		w.inner(path+"[]", items, depth+1)
	}
	if values, ok := schema["additionalProperties"].(map[string]any); ok {
		w.inner(path+".*", values, depth+1)
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		if !propertyName.MatchString(name) {
			w.fault("%s.%s does not match %s", path, name, propertyName)
		}
		if schema, ok := property.(map[string]any); ok {
			w.inner(path+"."+name, schema, depth+1)
		}
	}
}
