package debugcmd

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// The text of an answer has neither the output of the program nor its log, which the shell prints as
// they come, and has the line of the source once.
func TestDebugAnswerText(t *testing.T) {
	const state = `"state":{"status":"stopped","function":"add","file":"/src/a.c","line":4,"source":"\tn++;"}`
	for _, tt := range []struct{ structured, text, want string }{
		{`{` + state + `}`, "Stopped", "Stopped\nadd at /src/a.c:4\n4\t\tn++;"},
		{`{` + state + `}`, "Stepped\nadd at /src/a.c:4\n4\t\tn++;", "Stepped\nadd at /src/a.c:4\n4\t\tn++;"},
		{`{"output":"a\nb\n","state":{"status":"exited"}}`, "Exited\nOutput:\na\nb", "Exited"},
		{`{"output":"a\nOutput:\n\n\n"}`, "Stepped\nOutput:\na\nOutput:\nInstruction: ret", "Stepped\nInstruction: ret"},
		{`{"logged":["x\nOutput:","y"],"output":"o"}`, "Stopped\nLogged:\nx\nOutput:\ny\nOutput:\no\nIn the past", "Stopped\nIn the past"},
		{`{"logged":["x"]}`, "no section", "no section"},
	} {
		var a debugAnswer
		if err := json.Unmarshal([]byte(tt.structured), &a.shown); err != nil {
			t.Fatal(err)
		}
		if got := a.text(tt.text, true); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.structured, got, tt.want)
		}
		if got := a.text("Found", false); got != "Found" {
			t.Errorf("%s: a look-up has %q", tt.structured, got)
		}
	}
}

// What is typed while a line is edited is for the editor, and what the editor did not take is still
// there; a Ctrl-D is the end of one line only.
func TestKeyboard(t *testing.T) {
	k := &keyboard{typed: make(chan typed, 3)}
	k.typed <- typed{[]byte("con"), nil}
	k.typed <- typed{nil, os.ErrDeadlineExceeded}
	k.typed <- typed{[]byte("tinue"), nil}
	close(k.typed)
	var all bytes.Buffer
	b := make([]byte, 2)
	for ends := 0; ends < 2; {
		n, err := k.Read(b)
		if all.Write(b[:n]); err != nil {
			ends++
			all.WriteString("|")
		}
	}
	if got, want := all.String(), "con|tinue|"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Names of gdb that have two words are one command.
func TestSplitCommand(t *testing.T) {
	for line, want := range map[string]string{
		"info locals": "info locals|", " info  registers all ": "info registers|all", "info": "info|", "evaluate  a + b": "evaluate|a + b",
	} {
		name, rest := splitCommand(line)
		if got := strings.Join([]string{name, rest}, "|"); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
