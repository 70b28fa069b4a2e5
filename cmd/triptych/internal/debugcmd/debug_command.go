package debugcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/toolcmd"
)

// A debugTool is a tool of the debugger as the shell knows it.
type debugTool struct {
	name      string // without prefix
	full      string
	doc       string
	arguments []debugArgument // sorted by name
}

// A debugArgument is an argument of a tool.
type debugArgument struct{ name, kind, doc string }

func (t *debugTool) has(argument string) bool {
	return slices.ContainsFunc(t.arguments, func(a debugArgument) bool { return a.name == argument })
}

// The prefixes of the debugger's tools, in documented and portable names.
var debugPrefixes = []string{"debugger/", "debugger_"}

// loadTools lists the tools of the debugger.
func (s *debugShell) loadTools(ctx context.Context) error {
	all, err := s.conversation.Tools(ctx)
	if err != nil {
		return err
	}
	for _, info := range all {
		for _, prefix := range debugPrefixes {
			name, ours := strings.CutPrefix(info.Name, prefix)
			if !ours {
				continue
			}
			tool, err := newDebugTool(name, info)
			if err != nil {
				return err
			}
			s.tools = append(s.tools, tool)
		}
	}
	if len(s.tools) == 0 {
		return cmderr.UsageErrorf("TRIPTYCH_TOOLSETS and TRIPTYCH_TOOLS leave no tool of the debugger")
	}
	return nil
}

func newDebugTool(name string, info app.ToolInfo) (debugTool, error) {
	var schema struct {
		Properties map[string]struct {
			Type        string `json:"type"`
			Description string `json:"description"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(info.InputSchema, &schema); err != nil {
		return debugTool{}, fmt.Errorf("the schema of %s: %w", info.Name, err)
	}
	tool := debugTool{name: name, full: info.Name, doc: info.Description}
	for name, p := range schema.Properties {
		tool.arguments = append(tool.arguments, debugArgument{name, p.Type, p.Description})
	}
	slices.SortFunc(tool.arguments, func(a, b debugArgument) int { return strings.Compare(a.name, b.name) })
	return tool, nil
}

// debugAliases are names that users of gdb know.
var debugAliases = map[string]string{
	"b": "set_breakpoint", "backtrace": "get_stack_trace", "break": "set_breakpoint", "bt": "get_stack_trace",
	"c": "continue", "d": "clear_breakpoint", "delete": "clear_breakpoint", "fin": "step_out", "finish": "step_out",
	"l": "source", "list": "source", "n": "step_over", "next": "step_over", "p": "evaluate", "print": "evaluate",
	"r": "restart", "rc": "reverse_continue", "run": "restart", "s": "step_line", "si": "step_forward",
	"step": "step_line", "stepi": "step_forward", "watch": "set_watchpoint", "x": "read_memory",
	"info args": "get_variables", "info breakpoints": "list_breakpoints", "info locals": "get_variables",
	"info registers": "registers", "info threads": "threads",
}

// find returns the tool that a command names, in full, by an alias or by a unique
// prefix.
func (s *debugShell) find(name string) (*debugTool, error) {
	if alias, ok := debugAliases[name]; ok {
		name = alias
	}
	var found []*debugTool
	for i := range s.tools {
		switch t := &s.tools[i]; {
		case t.name == name:
			return t, nil
		case strings.HasPrefix(t.name, name):
			found = append(found, t)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("unknown command %q; help lists the commands", name)
	case 1:
		return found[0], nil
	}
	var names []string
	for _, t := range found {
		names = append(names, t.name)
	}
	return nil, fmt.Errorf("%q is ambiguous: %s", name, strings.Join(names, ", "))
}

// full returns the name of a tool with its prefix.
func (s *debugShell) full(name string) string {
	if t, err := s.find(name); err == nil {
		return t.full
	}
	return debugPrefixes[0] + name // the server says that it is unknown
}

// splitCommand splits a line into the command and the rest.
func splitCommand(line string) (name, rest string) {
	name, rest, _ = strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	if name == "info" && rest != "" {
		what, after, _ := strings.Cut(rest, " ")
		name, rest = name+" "+what, strings.TrimSpace(after)
	}
	return name, rest
}

// mainArguments are the arguments that need no name.
var mainArguments = map[string]string{
	"attach": "pid", "call_trace": "function", "disassemble": "address", "evaluate": "expression", "export_trace": "format", "get_stack_trace": "max_frames",
	"get_variables": "filter", "heap_block": "address", "last_write": "expression", "launch": "path", "open_core": "core", "open_trace": "file",
	"read_memory": "address", "registers": "set", "seek": "position", "set_watchpoint": "expression", "source": "line",
	"step_backward": "by", "step_forward": "count", "threads": "select", "trace_value": "expression",
}

// debugArguments parses what follows a command: an object, NAME=VALUE in which
// values may be quoted, or the value of the main argument.
func (s *debugShell) debugArguments(tool *debugTool, rest string) (toolcmd.Arguments, error) {
	name, value, assigned := strings.Cut(rest, "=")
	switch {
	case rest == "":
		return toolcmd.ParseArguments(s.IO, nil)
	case strings.HasPrefix(rest, "{"):
		return toolcmd.ParseArguments(s.IO, []string{rest})
	case tool.name == "send_input" && rest == endOfInput:
		return toolcmd.ParseArguments(s.IO, []string{`{"text":"","eof":true}`})
	case assigned && tool.has(name) && !strings.HasPrefix(value, "="):
		words, err := splitQuoted(rest)
		if err != nil {
			return toolcmd.Arguments{}, err
		}
		return toolcmd.ParseArguments(s.IO, words)
	}
	switch main := mainArguments[tool.name]; {
	case tool.name == "set_breakpoint":
		return toolcmd.Arguments{Texts: breakpointPlace(rest)}, nil
	case tool.name == "clear_breakpoint":
		return breakpointNumbers(rest)
	case tool.name == "send_input": // a line
		return toolcmd.Arguments{Texts: []toolcmd.NamedText{{Name: "text", Value: rest + "\n"}}}, nil
	case main != "":
		return toolcmd.Arguments{Texts: []toolcmd.NamedText{{Name: main, Value: rest}}}, nil
	}
	if assigned && !strings.Contains(name, " ") {
		return toolcmd.Arguments{}, fmt.Errorf("%s has no argument %s; help %s lists them", tool.name, name, tool.name)
	}
	return toolcmd.Arguments{}, fmt.Errorf("%s takes arguments as NAME=VALUE; help %s lists them", tool.name, tool.name)
}

// endOfInput behind send_input is not a line. The tool requires a text, too.
const endOfInput = "eof=true"

// breakpointPlace reads ADDRESS, FILE:LINE or FUNCTION.
func breakpointPlace(text string) []toolcmd.NamedText {
	if text[0] >= '0' && text[0] <= '9' {
		return []toolcmd.NamedText{{Name: "address", Value: text}}
	}
	if i := strings.LastIndex(text, ":"); i > 0 && text[i-1] != ':' && i+1 < len(text) && strings.Trim(text[i+1:], "0123456789") == "" {
		return []toolcmd.NamedText{{Name: "file", Value: text[:i]}, {Name: "line", Value: text[i+1:]}}
	}
	return []toolcmd.NamedText{{Name: "function", Value: text}}
}

// breakpointNumbers reads all, or numbers with spaces between.
func breakpointNumbers(text string) (toolcmd.Arguments, error) {
	if text == "all" {
		return toolcmd.Arguments{Texts: []toolcmd.NamedText{{Name: "all", Value: "true"}}}, nil
	}
	list, err := json.Marshal(map[string]json.RawMessage{"ids": json.RawMessage("[" + strings.Join(strings.Fields(text), ",") + "]")})
	if err != nil {
		return toolcmd.Arguments{}, fmt.Errorf("%q is neither all nor numbers", text)
	}
	return toolcmd.Arguments{JSON: list}, nil
}

// splitQuoted splits a line into words; spaces between double quotes belong to a
// word, and a backslash takes a quote literally.
func splitQuoted(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, quoted := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line) && (line[i+1] == '"' || line[i+1] == '\\'):
			i++
			word.WriteByte(line[i])
			inWord = true
		case c == '"':
			quoted, inWord = !quoted, true
		case c == ' ' && !quoted:
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if quoted {
		return nil, fmt.Errorf("a quotation mark is missing")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// complete returns what the beginning of a line may go on with: commands, then
// their arguments.
func (s *debugShell) complete(line string) (candidates []string) {
	name, rest, second := strings.Cut(strings.TrimLeft(line, " "), " ")
	if !second {
		for i := range s.tools {
			candidates = append(candidates, s.tools[i].name+" ")
		}
		candidates = append(candidates, "help ", "quit")
		return beginningWith(candidates, name)
	}
	last := rest[strings.LastIndex(rest, " ")+1:]
	if name == "help" {
		for _, t := range topics {
			candidates = append(candidates, t.name)
		}
		return append(s.complete(last), beginningWith(append(candidates, helpAll), last)...)
	}
	tool, err := s.find(name)
	if err != nil {
		return nil
	}
	for _, each := range tool.arguments {
		candidates = append(candidates, each.name+"=")
	}
	return beginningWith(candidates, last)
}

func beginningWith(words []string, prefix string) []string {
	return slices.DeleteFunc(words, func(word string) bool { return !strings.HasPrefix(word, prefix) })
}
