package toolcmd

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/jsonrpc"
)

// output returns an App and functions that return what it has printed, and told as errors.
func output(t *testing.T) (a *app.App, printed func() string, told *strings.Builder) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // read by its path
	told = new(strings.Builder)
	return &app.App{IO: &cmdio.IO{Out: f, Err: told}}, func() string {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}, told
}

// Texts are lines, a file is printed as it is, what is no text is named, and errors go
// elsewhere.
func TestPrintContent(t *testing.T) {
	for _, test := range []struct{ result, out, err string }{
		{`{"content":[{"type":"text","text":"one"},{"type":"text","text":"two\n"}]}`, "one\ntwo\n", ""},
		{`{"content":[{"type":"text","text":"data"}],"structuredContent":{"data":"data"}}`, "data", ""},
		{`{"content":[{"type":"text","text":"data"}],"structuredContent":{"data":"other"}}`, "data\n", ""},
		{`{"content":[{"type":"image","mimeType":"image/png"}]}`, "[image image/png; --json prints it]\n", ""},
		{`{"content":[{"type":"text","text":"no"}],"isError":true}`, "", "triptych: no\n"},
		{`{"content":[]}`, "", ""},
	} {
		var result Result
		if err := json.Unmarshal([]byte(test.result), &result); err != nil {
			t.Fatal(err)
		}
		a, printed, told := output(t)
		if err := PrintContent(a.IO, result); err != nil || printed() != test.out || told.String() != test.err {
			t.Errorf("%s: %q and %q, %v; want %q and %q", test.result, printed(), told, err, test.out, test.err)
		}
	}
}

// A tool is shown by any spelling of its name, with its arguments in the order of the schema.
func TestShowTool(t *testing.T) {
	tools := []app.ToolInfo{{
		Name: "family_tool", Description: "Does it", Raw: json.RawMessage(`{"name":"family_tool"}`),
		InputSchema: json.RawMessage(`{"type":"object","properties":{"z":{"type":"integer","description":"First"},"a":{"type":"string"}},"required":["a"]}`),
	}}
	for _, name := range []string{"family_tool", "family/tool"} {
		a, printed, _ := output(t)
		err := showTool(a.IO, tools, name, false)
		if got := printed(); err != nil || !strings.HasPrefix(got, "family_tool\n\nDoes it\n\nARGUMENT") ||
			strings.Index(got, "z ") > strings.Index(got, "a  ") || !strings.Contains(got, "integer  optional  First") || !strings.Contains(got, "string   required") {
			t.Errorf("%q, %v", got, err)
		}
	}
	a, printed, _ := output(t)
	if err := showTool(a.IO, tools, "family_tool", true); err != nil || printed() != "{\n  \"name\": \"family_tool\"\n}\n" {
		t.Errorf("%q, %v", printed(), err)
	}
	if err := showTool(a.IO, tools, "other", false); err == nil || !strings.Contains(err.Error(), `unknown tool "other"`) {
		t.Error(err)
	}
}

// Tokens are rounded to the nearest number: 4.35 bytes are one.
func TestEstimatedTokens(t *testing.T) {
	for bytes, want := range map[int]int{0: 0, 2: 0, 3: 1, 4: 1, 435: 100, 437: 100, 4350: 1000} {
		if got := EstimatedTokens(bytes); got != want {
			t.Errorf("%d bytes: %d, want %d", bytes, got, want)
		}
	}
}

// The details of an error are told once, and other errors stay as they are.
func TestDescribeError(t *testing.T) {
	for want, err := range map[string]error{
		"Bad: why":    &jsonrpc.Error{Message: "Bad", Data: json.RawMessage(`{"details":"why"}`)},
		"Bad: reason": &jsonrpc.Error{Message: "Bad: reason", Data: json.RawMessage(`{"details":"reason"}`)},
		"Bad":         &jsonrpc.Error{Message: "Bad", Data: json.RawMessage(`[`)},
		"broken":      errors.New("broken"),
	} {
		if got := DescribeError(err, ""); got.Error() != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
