package debugger_test

import (
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// Nothing of a secret is in an answer about what was recorded: calls with their arguments and
// changes, values at each hit, last writes, system calls, where a value came from,
// steps back, and traces as text.
func TestRecordedSecretsAreMasked(t *testing.T) {
	all := everyNth(secretTexts(t), 9) // all texts go through the same functions, and recording takes time
	if !sample.Whole() {
		all = all[:2]
	}
	path, env := keeper(t, all)
	c := connect(t, table(t, debugger.Config{Live: debugger.Live{MaskSecrets: "on"}}))
	c.ok("launch", args{"path": path, "env": env})
	c.ok("set_breakpoint", args{"function": "stop"})
	c.ok("set_breakpoint", args{"catch": "syscall:write"})
	masked := 0
	check := func(s secretText, tool string, arguments any) {
		t.Helper()
		a := c.Call("debugger/"+tool, arguments)
		if a.IsError || a.Err != nil {
			t.Fatalf("%s: %s %v: %s", s.name, tool, arguments, a)
		}
		raw := a.Text + string(a.Structured)
		for _, content := range a.Content {
			raw += string(content)
		}
		if part := leaks(raw, s.secret); part != "" {
			t.Errorf("%s: %s %v shows %q: %s", s.name, tool, arguments, part, raw[:min(len(raw), 2000)])
		}
		if strings.Contains(raw, "<masked:") {
			masked++
		}
	}
	for _, s := range all {
		check(s, "continue", args{"record": true}) // to the first write
		check(s, "collect", args{"points": []any{args{"at": "second_half", "expressions": []string{"text", "text[0:40]", "n"}}}})
		check(s, "continue", args{"record": true}) // after it
		check(s, "continue", args{"record": true}) // to stop
		check(s, "call_trace", args{"function": "second_half"})
		check(s, "call_trace", args{"function": "write", "max_bytes": 60000})
		check(s, "call_tree", nil)
		check(s, "trace_value", args{"expression": "account.key", "hops": 4})
		check(s, "last_write", args{"expression": "account.key"})
		check(s, "trace_value", args{"expression": "*(unsigned long *)(account.copy + 16)", "hops": 4})
		check(s, "last_write", args{"expression": "*(unsigned long *)(account.copy + 16)"})
		check(s, "last_write", args{"expression": "*(unsigned long *)(bytes + 24)", "move": true})
		check(s, "registers", args{"set": "all"})
		check(s, "seek", nil)
		check(s, "find", args{"kind": "text", "pattern": s.text[:3]})
		check(s, "step_backward", args{"count": 40})
		check(s, "registers", args{"set": "all"})
		check(s, "get_variables", args{"frame": 1})
		check(s, "seek", nil)
		check(s, "sessions", nil)
		check(s, "continue", args{"record": true}) // to the second write
		check(s, "continue", args{"record": true})
	}
	check(all[0], "export_trace", args{"format": "text"})
	check(all[0], "export_trace", args{"format": "json"})
	if masked < 4*len(all) {
		t.Errorf("only %d answers have a mask", masked)
	}
}
