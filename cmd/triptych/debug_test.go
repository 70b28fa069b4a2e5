package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
)

// debugTools are two tools as a server lists them.
func debugTools(t *testing.T) *debugShell {
	t.Helper()
	s := &debugShell{app: commands{New()}}
	for name, schema := range map[string]string{
		"step_line": `{"properties":{"wait_ms":{"type":"integer"}}}`, "step_over": `{"properties":{"wait_ms":{"type":"integer"}}}`,
		"set_breakpoint":   `{"properties":{"function":{"type":"string"},"condition":{"type":"string"},"line":{"type":"integer"}}}`,
		"clear_breakpoint": `{"properties":{"ids":{"type":"array"}}}`, "evaluate": `{"properties":{"expression":{"type":"string"},"frame":{"type":"integer"}}}`,
	} {
		tool, err := newDebugTool(name, ToolInfo{Name: "debugger/" + name, InputSchema: json.RawMessage(schema)})
		if err != nil {
			t.Fatal(err)
		}
		s.tools = append(s.tools, tool)
	}
	return s
}

// What follows a command is its main argument, or arguments by name.
func TestDebugArguments(t *testing.T) {
	s := debugTools(t)
	for _, tt := range []struct {
		tool, rest string
		want       []namedText
	}{
		{"evaluate", "p->next == q", []namedText{{"expression", "p->next == q"}}},
		{"evaluate", "expression == 1", []namedText{{"expression", "expression == 1"}}}, // a comparison
		{"evaluate", "frame==1", []namedText{{"expression", "frame==1"}}},
		{"evaluate", `expression="a b\"c\"" frame=2`, []namedText{{"expression", `a b"c"`}, {"frame", "2"}}},
		{"set_breakpoint", "main", []namedText{{"function", "main"}}},
		{"set_breakpoint", "a::b", []namedText{{"function", "a::b"}}},
		{"set_breakpoint", "src/a.c:12", []namedText{{"file", "src/a.c"}, {"line", "12"}}},
		{"set_breakpoint", "0x401000", []namedText{{"address", "0x401000"}}},
		{"set_breakpoint", "function=main condition=x==1", []namedText{{"function", "main"}, {"condition", "x==1"}}},
		{"clear_breakpoint", "all", []namedText{{"all", "true"}}},
	} {
		tool, err := s.find(tt.tool)
		if err != nil {
			t.Fatal(err)
		}
		given, err := s.app.debugArguments(tool, tt.rest)
		if err != nil || !reflect.DeepEqual(given.texts, tt.want) {
			t.Errorf("%s %s: %+v, %v, want %+v", tt.tool, tt.rest, given.texts, err, tt.want)
		}
	}
	tool, _ := s.find("clear_breakpoint")
	if given, err := s.app.debugArguments(tool, "1  3"); err != nil || string(given.json) != `{"ids":[1,3]}` {
		t.Errorf("%s, %v", given.json, err)
	}
	for _, wrong := range []string{"one", `ids="1`} {
		if _, err := s.app.debugArguments(tool, wrong); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}

// The tab key completes commands and the names of their arguments.
func TestDebugCompletion(t *testing.T) {
	s := debugTools(t)
	for line, want := range map[string]string{
		"ev": "aluate ", "st": "ep_", "step_o": "ver ", "q": "uit", "zzz": "", "evaluate exp": "ression=", "evaluate frame=1 e": "xpression=", "help ev": "aluate ",
	} {
		candidates := s.complete(line)
		slices.Sort(candidates)
		if got := completion(line, candidates); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
