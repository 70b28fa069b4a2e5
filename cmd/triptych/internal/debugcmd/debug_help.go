package debugcmd

import (
	"fmt"
	"slices"
	"strings"
)

// A topic is a part of the help of the shell.
type topic struct {
	name, doc string
	tools     []string
}

// helpAll is the topic of all commands.
const helpAll = "all"

// topics have each command once, those that are used first before others.
var topics = []topic{
	{"run", "let the program run", []string{
		"continue", "step_line", "step_over", "step_out", "step_forward", "pause", "wait", "restart", "launch", "attach", "detach",
	}},
	{"breakpoints", "stop it where you want", []string{
		"set_breakpoint", "list_breakpoints", "clear_breakpoint", "set_watchpoint",
	}},
	{"look", "see where it is, and what it has", []string{
		"get_stack_trace", "get_variables", "evaluate", "source", "find", "threads", "goroutines", "sessions",
	}},
	{"past", "go back, and ask who did it", []string{
		"reverse_continue", "step_backward", "seek", "last_write", "heap_block", "trace_value", "call_trace", "call_tree", "collect", "race", "export_trace", "open_trace", "open_core",
	}},
	{"memory", "bytes, registers and instructions", []string{
		"read_memory", "write_memory", "registers", "disassemble",
	}},
	{"input", "what the program reads and writes", []string{"send_input", "get_output"}},
	{"others", "other programs, the server, similar bugs", []string{
		"expose", "find_similar_bugs", "quota_status", "license_info", "get_comprehensive_audit",
	}},
}

// help lists the topics with their commands, the commands of a topic or of all, or the arguments
// of one.
func (s *debugShell) help(name string) error {
	switch i := slices.IndexFunc(topics, func(t topic) bool { return t.name == name }); {
	case name == "":
		return s.listTopics()
	case name == helpAll:
		return s.describe(s.tools)
	case i >= 0:
		return s.describe(s.of(topics[i]))
	}
	tool, err := s.find(name)
	if err != nil {
		return err
	}
	if err := s.Printf("%s: %s\n", tool.name, tool.doc); err != nil {
		return err
	}
	for _, each := range tool.arguments {
		if err := s.Printf("  %s=%s  %s\n", each.name, strings.ToUpper(each.kind), each.doc); err != nil {
			return err
		}
	}
	return nil
}

// of returns the commands of a topic that the server has.
func (s *debugShell) of(t topic) []debugTool {
	var list []debugTool
	for _, name := range t.tools {
		if i := slices.IndexFunc(s.tools, func(tool debugTool) bool { return tool.name == name }); i >= 0 {
			list = append(list, s.tools[i])
		}
	}
	return list
}

// listTopics prints the topics with the names of their commands.
func (s *debugShell) listTopics() error {
	for _, t := range topics {
		var names []string
		for _, tool := range s.of(t) {
			names = append(names, tool.name)
		}
		if len(names) == 0 {
			continue
		}
		if err := s.Printf("%s: %s\n%s", t.name, t.doc, indented(names)); err != nil {
			return err
		}
	}
	return s.Printf("help TOPIC says what its commands do, help COMMAND which arguments it has, help %s lists all.\n"+
		"A name may be cut where it is unique. Names of gdb are known, too, such as b, bt, c, fin, n, p, s, info locals.\n"+
		"quit ends the shell.\n", helpAll)
}

// indented writes words in lines of at most 100 characters.
func indented(words []string) string {
	var b strings.Builder
	width := 0
	for _, word := range words {
		if width == 0 || width+1+len(word) > 100 {
			if width > 0 {
				b.WriteByte('\n')
			}
			b.WriteByte(' ')
			width = 1
		}
		width += 1 + len(word)
		b.WriteString(" " + word)
	}
	return b.String() + "\n"
}

// describe prints what commands do.
func (s *debugShell) describe(tools []debugTool) error {
	var b strings.Builder
	for i := range tools {
		fmt.Fprintf(&b, "%-24s %s\n", tools[i].name, tools[i].doc)
	}
	return s.Printf("%s", b.String())
}
