package debugger_test

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// A secretText is a text of the corpus, with the secret in it.
type secretText struct{ name, text, secret string }

// secretTexts reads the corpus of package secrets.
func secretTexts(t *testing.T) (all []secretText) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "mcp", "secrets", "testdata", "corpus.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		name, quoted, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		text, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		before, rest, _ := strings.Cut(text, "[[")
		secret, after, _ := strings.Cut(rest, "]]")
		all = append(all, secretText{name, before + secret + after, secret})
	}
	return all
}

// everyNth returns every nth text, from the second on.
func everyNth(all []secretText, n int) (some []secretText) {
	for i := 1; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}

var maskMark = regexp.MustCompile(`<masked:[^>]*>?`)

// public are words that secrets share with other texts.
const public = "-----BEGIN RSA PRIVATE KEY-----END OPENSSH PRIVATE KEY----- https://hooks.slack.com/services/ github session= HttpOnly"

// leaks returns a part of six bytes of a secret that an answer has: as text, as numbers
// or in hexadecimal; "" if it has none.
func leaks(answer, secret string) string {
	answer = maskMark.ReplaceAllString(answer, "")
	digits := strings.ReplaceAll(answer, " ", "")
	for i := 0; i+6 <= len(secret); i++ {
		part := secret[i : i+6]
		if strings.Contains(public, part) {
			continue
		}
		numbers := strings.Trim(strings.ReplaceAll(fmt.Sprint([]byte(part)), " ", ", "), "[]")
		for _, form := range []string{part, numbers} {
			if strings.Contains(answer, form) {
				return form
			}
		}
		backward := []byte(part)
		slices.Reverse(backward)
		for _, order := range [][]byte{[]byte(part), backward} { // of bytes in memory, and in a number
			if strings.Contains(digits, hex.EncodeToString(order)) {
				return "in hexadecimal: " + part
			}
		}
	}
	return ""
}

// keeper builds the program with secrets, and returns the environment that it needs.
func keeper(t *testing.T, all []secretText) (path string, env args) {
	t.Helper()
	path = debuggertest.Compile(t, filepath.Join("testdata", "secrets", "keeper.c"), nil, "gcc", "-g", "-O0")
	var file strings.Builder
	env = args{}
	for i, s := range all {
		file.WriteString(s.text + "\x01")
		if name, value, ok := strings.Cut(s.text, "="); ok && s.name == "environment" {
			env[fmt.Sprintf("V%d_%s", i, name)] = value
		}
	}
	name := filepath.Join(t.TempDir(), "texts")
	if err := os.WriteFile(name, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	env["SECRETS"] = name
	return path, env
}

// Nothing of a secret is in an answer: not in variables, values, dumps of memory, the
// environment, log messages or output, also where an answer has only a part of it.
func TestSecretsAreMasked(t *testing.T) {
	all := secretTexts(t)
	if !sample.Whole() { // each request waits for the one before
		all = everyNth(all, 6)
	}
	path, env := keeper(t, all)
	c := connect(t, table(t, debugger.Config{Live: debugger.Live{MaskSecrets: "on"}}))
	c.ok("launch", args{"path": path, "env": env})
	c.ok("set_breakpoint", args{"function": "second_half", "log": "text is {text}"})
	c.ok("set_breakpoint", args{"function": "stop"})
	masked := map[secretText]int{}
	check := func(s secretText, tool string, arguments any) {
		t.Helper()
		a := c.Call("debugger/"+tool, arguments)
		if a.IsError || a.Err != nil {
			t.Fatalf("%s: %s %v: %s", s.name, tool, arguments, a)
		}
		raw := a.Text + string(a.Structured)
		if part := leaks(raw, s.secret); part != "" {
			t.Errorf("%s: %s %v shows %q: %s", s.name, tool, arguments, part, raw)
		}
		if strings.Contains(raw, "<masked:") || strings.Contains(raw, "******") { // asterisks where a mark does not fit, and after a key without an end
			masked[s]++
		}
	}
	for i, s := range all {
		check(s, "continue", nil) // with the end of the output of the text before
		if i > 0 {
			check(all[i-1], "sessions", nil)
		}
		check(s, "get_variables", args{"frame": 1})
		check(s, "get_variables", args{"scope": "global", "filter": "account"})
		check(s, "get_variables", args{"scope": "global", "filter": "bytes"})
		check(s, "get_variables", args{"scope": "global", "filter": "letters"})
		check(s, "evaluate", args{"expression": "middle"})
		check(s, "evaluate", args{"expression": "&account.copy[3]", "frame": 1})
		check(s, "read_memory", args{"address": "text", "length": 300})
		check(s, "read_memory", args{"address": "middle", "length": 48})
		check(s, "get_stack_trace", nil)
	}
	for _, s := range all {
		if masked[s] < 4 { // the variable, the array, its tail and the memory show it
			t.Errorf("%s: only %d answers have a mask", s.name, masked[s])
		}
	}
	for i := range 60 { // the environment is on the stack
		a := c.Call("debugger/evaluate", args{"expression": fmt.Sprintf("((char **)environ)[%d]", i), "frame": 1})
		for _, s := range all {
			if part := leaks(a.Text, s.secret); part != "" {
				t.Errorf("%s: the environment shows %q: %s", s.name, part, a.Text)
			}
		}
	}
}

// What a watched value was is masked, though it is gone; and so is data that is shown as code.
func TestWatchedSecretsAreMasked(t *testing.T) {
	all := secretTexts(t)[1:3] // tokens that fill more than a word
	path, env := keeper(t, all)
	c := connect(t, table(t, debugger.Config{Live: debugger.Live{MaskSecrets: "on"}}))
	c.ok("launch", args{"path": path, "env": env})
	c.ok("set_breakpoint", args{"function": "stop"})
	c.ok("continue", nil)
	at := (strings.Index(all[0].text, all[0].secret) + 15) &^ 7 // hardware watches aligned words
	contains(t, c.ok("set_watchpoint", args{"address": fmt.Sprintf("&bytes[%d]", at), "size": 8}), "bytes")
	for _, answer := range []string{c.ok("continue", nil), c.ok("disassemble", args{"address": fmt.Sprintf("&bytes[%d]", at), "count": 4})} {
		if part := leaks(answer, all[0].secret); part != "" {
			t.Errorf("%q is shown: %s", part, answer)
		}
	}
}

// A trace has the memory as it is. Its bytes are in the answer, as documented, unless
// secrets are to be masked everywhere.
func TestTracesWithSecrets(t *testing.T) {
	all := secretTexts(t)[:1]
	for _, tt := range []struct {
		mask  string
		items int
	}{{"on", 1}, {"auto", 2}} {
		path, env := keeper(t, all)
		c := connect(t, table(t, debugger.Config{Live: debugger.Live{MaskSecrets: tt.mask, Remote: true}}))
		c.ok("launch", args{"path": path, "env": env})
		c.ok("step_forward", args{"count": 10})
		a := c.Call("debugger/export_trace", args{"format": "binary"})
		if a.IsError || len(a.Content) != tt.items {
			t.Errorf("%s: %d items of content, want %d: %s", tt.mask, len(a.Content), tt.items, a.Text)
		}
	}
}

// Without the option, a value is shown as it is.
func TestSecretsAreShownOverStdio(t *testing.T) {
	all := secretTexts(t)[:1]
	path, env := keeper(t, all)
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": path, "env": env})
	c.ok("set_breakpoint", args{"function": "stop"})
	c.ok("continue", nil)
	contains(t, c.ok("evaluate", args{"expression": "text"}), all[0].text)
}
