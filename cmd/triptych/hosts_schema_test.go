package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// Hosts and the APIs of models take less than JSON Schema allows, and one tool that they
// do not take costs all tools of a server. The rules below hold for the hosts that are
// known to be strict.
var (
	hostToolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	hostProperty = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
)

// maxHostDescription is the longest description that the APIs of models take, in bytes.
const maxHostDescription = 1024

// combinators are the members that no root may have, and that no schema of ours has.
var combinators = []string{
	"anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "$dynamicRef", "$defs", "definitions", "dependentSchemas", "const",
}

// TestHostsTakeEverySchema lists every tool of every family in every profile.
func TestHostsTakeEverySchema(t *testing.T) {
	revisions := []string{""} // a client without a handshake
	for _, r := range host.Revisions() {
		revisions = append(revisions, r.Name)
	}
	tables, count := freshTables(t), 0
	for _, table := range tables {
		count += len(table.Tools)
	}
	for _, revision := range revisions {
		t.Run("revision "+revision, func(t *testing.T) {
			client := mcptest.Connect(t, tables...)
			if revision != "" {
				client.Initialize(revision)
			}
			listed := client.List("tools")
			if revision >= "2024-11-05" && len(listed) != count {
				t.Errorf("%d tools are listed, want %d", len(listed), count)
			}
			for _, raw := range listed {
				for _, fault := range hostFaults(t, raw, revision >= "2025-03-26") {
					t.Error(fault)
				}
			}
		})
	}
}

// hostFaults returns what hosts would not take in a tool. portable says that its name has no
// slash.
func hostFaults(t *testing.T, raw json.RawMessage, portable bool) (faults []string) {
	t.Helper()
	var tool struct {
		Name, Description         string
		InputSchema, OutputSchema map[string]any
	}
	if err := json.Unmarshal(raw, &tool); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	fault := func(format string, args ...any) {
		faults = append(faults, tool.Name+": "+fmt.Sprintf(format, args...))
	}
	name := tool.Name
	if !portable { // such a host lists it as it calls it
		name = strings.ReplaceAll(name, "/", "_")
	}
	if !hostToolName.MatchString(name) {
		fault("the name does not match %s", hostToolName)
	}
	if tool.Description == "" || len(tool.Description) > maxHostDescription {
		fault("the description has %d bytes", len(tool.Description))
	}
	for root, schema := range map[string]map[string]any{"inputSchema": tool.InputSchema, "outputSchema": tool.OutputSchema} {
		if schema == nil && root == "outputSchema" {
			continue
		}
		if schema["type"] != "object" {
			fault("%s: the root has the type %v", root, schema["type"])
		}
		schemaFaults(root, schema, fault)
	}
	return faults
}

// schemaFaults walks a schema and all schemas in it.
func schemaFaults(path string, schema map[string]any, fault func(string, ...any)) {
	for _, key := range combinators {
		if _, has := schema[key]; has {
			fault("%s has %s", path, key)
		}
	}
	kind, _ := schema["type"].(string)
	if !slices.Contains([]string{"object", "array", "string", "integer", "number", "boolean"}, kind) {
		fault("%s has the type %v", path, schema["type"])
	}
	if format, has := schema["format"]; has && format != "date-time" {
		fault("%s has the format %v", path, format)
	}
	if text, _ := schema["description"].(string); len(text) > maxHostDescription {
		fault("%s has a description of %d bytes", path, len(text))
	}
	items, has := schema["items"].(map[string]any)
	if kind == "array" && len(items) == 0 {
		fault("%s has items of no type", path)
	}
	if has {
		schemaFaults(path+"[]", items, fault)
	}
	if values, ok := schema["additionalProperties"].(map[string]any); ok {
		schemaFaults(path+".*", values, fault)
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		if !hostProperty.MatchString(name) {
			fault("%s.%s does not match %s", path, name, hostProperty)
		}
		inner, ok := property.(map[string]any)
		if !ok {
			fault("%s.%s is %v", path, name, property)
			continue
		}
		schemaFaults(path+"."+name, inner, fault)
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, has := properties[fmt.Sprint(name)]; !has {
			fault("%s requires %v, which it does not describe", path, name)
		}
	}
}

// Each rule finds what it is for.
func TestHostFaults(t *testing.T) {
	for tool, want := range map[string]string{
		`{"name":"a","description":"b","inputSchema":{"type":"object"}}`:                                                                          "",
		`{"name":"a/b","description":"b","inputSchema":{"type":"object"}}`:                                                                        "name",
		`{"name":"a","description":"b","inputSchema":{}}`:                                                                                         "root",
		`{"name":"a","description":"b"}`:                                                                                                          "root",
		`{"name":"a","inputSchema":{"type":"object"}}`:                                                                                            "description",
		`{"name":"a","description":"b","inputSchema":{"type":"object","anyOf":[]}}`:                                                               "anyOf",
		`{"name":"a","description":"b","inputSchema":{"type":"object"},"outputSchema":{"type":"object","$ref":"#/a"}}`:                            "$ref",
		`{"name":"a","description":"b","inputSchema":{"type":"object","properties":{"c":{"type":"array","items":{}}}}}`:                           "items",
		`{"name":"a","description":"b","inputSchema":{"type":"object","properties":{"c":{"type":"array"}}}}`:                                      "items",
		`{"name":"a","description":"b","inputSchema":{"type":"object","properties":{"c":{}}}}`:                                                    "type",
		`{"name":"a","description":"b","inputSchema":{"type":"object","properties":{"c":{"type":["string","null"]}}}}`:                            "type",
		`{"name":"a","description":"b","inputSchema":{"type":"object","properties":{"c d":{"type":"string"}}}}`:                                   "match",
		`{"name":"a","description":"b","inputSchema":{"type":"object","properties":{"c":true}}}`:                                                  "true",
		`{"name":"a","description":"b","inputSchema":{"type":"object","required":["c"]}}`:                                                         "requires c",
		`{"name":"a","description":"b","inputSchema":{"type":"object","properties":{"c":{"type":"string","format":"uri"}}}}`:                      "format",
		`{"name":"a","description":"b","inputSchema":{"type":"object","additionalProperties":{"type":"object","properties":{"d":{"oneOf":[]}}}}}`: "oneOf",
		`{"name":"` + strings.Repeat("a", 65) + `","description":"b","inputSchema":{"type":"object"}}`:                                            "name",
		`{"name":"a","description":"` + strings.Repeat("b", 1025) + `","inputSchema":{"type":"object"}}`:                                          "1025 bytes",
	} {
		got := strings.Join(hostFaults(t, json.RawMessage(tool), true), "\n")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want one with %q", tool, got, want)
		}
	}
}
