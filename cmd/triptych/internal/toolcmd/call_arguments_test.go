package toolcmd

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
)

// Words are KEY=VALUE, or one JSON object; "-" reads the object from standard input.
func TestParseArguments(t *testing.T) {
	for _, test := range []struct {
		words string // parted by |
		input string
		json  string
		texts []NamedText
		fails string
	}{
		{words: "", json: "{}"},
		{words: `{"day": 1}`, json: `{"day": 1}`},
		{words: ` {"day": 1} `, json: `{"day": 1}`},
		{words: "-", input: " {\"a\": [1]}\n", json: `{"a": [1]}`},
		{words: "day=1|name=a=b|empty=", texts: []NamedText{{"day", "1"}, {"name", "a=b"}, {"empty", ""}}},
		{words: "day", fails: `"day" is neither KEY=VALUE`},
		{words: "=1", fails: `"=1" is neither KEY=VALUE`},
		{words: "day=1|-", fails: `"-" is neither KEY=VALUE`},
		{words: `day=1|{"a": 1}`, fails: "is neither KEY=VALUE"},
		{words: "day=1|day=2", fails: "day is given twice"},
		{words: `{"day": 1`, fails: `it breaks off or goes wrong after "{\"day\": 1"`},
		{words: "-", input: "null", fails: "not a JSON object"},
		{words: "-", input: "[1]", fails: "not a JSON object"},
		{words: "-", input: "", fails: "not a JSON object"},
	} {
		var words []string
		if test.words != "" {
			words = strings.Split(test.words, "|")
		}
		got, err := ParseArguments(&cmdio.IO{In: input(t, test.input)}, words)
		switch {
		case test.fails != "":
			if err == nil || !strings.Contains(err.Error(), test.fails) {
				t.Errorf("%s %q: got %v, want %s", test.words, test.input, err, test.fails)
			}
		case err != nil || string(got.JSON) != test.json || !slices.Equal(got.Texts, test.texts):
			t.Errorf("%s %q: got %s %v, %v", test.words, test.input, got.JSON, got.Texts, err)
		}
	}
}

// input returns an open file with a text.
func input(t *testing.T, text string) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // it was only read
	return f
}

// A text becomes the JSON of the type in the schema, or the error names the type.
func TestTyped(t *testing.T) {
	for _, test := range []struct{ kind, text, want, fails string }{
		{kind: "string", text: "1", want: `"1"`},
		{kind: "", text: `a "b"`, want: `"a \"b\""`},
		{kind: "integer", text: "-12", want: "-12"},
		{kind: "integer", text: "12.0", want: "12.0"},
		{kind: "integer", text: "1.5", fails: `n is "1.5", want a whole number`},
		{kind: "integer", text: "1e300", fails: "want a whole number"},
		{kind: "integer", text: "", fails: "want a whole number"},
		{kind: "integer", text: "0x10", fails: "want a whole number"},
		{kind: "number", text: "1.5", want: "1.5"},
		{kind: "number", text: "true", fails: "want a number"},
		{kind: "boolean", text: "false", want: "false"},
		{kind: "boolean", text: "yes", fails: "want true or false"},
		{kind: "array", text: "a,b", want: `["a","b"]`},
		{kind: "array", text: "1", want: `["1"]`},
		{kind: "array", text: "[1, 2]", want: "[1, 2]"},
		{kind: "array", text: "[1", fails: "want a JSON array"},
		{kind: "object", text: `{"a": 1}`, want: `{"a": 1}`},
		{kind: "object", text: "null", fails: "want a JSON object"},
		{kind: "null", text: "null", want: "null"},
		{kind: "null", text: "0", fails: `n is "0"`},
		{kind: "", text: "50", want: "50"},
		{kind: "", text: "why", want: `"why"`},
		{kind: "", text: "null", want: `"null"`},
	} {
		got, err := typed(NamedText{"n", test.text}, test.kind)
		switch {
		case test.fails != "":
			if err == nil || !strings.Contains(err.Error(), test.fails) {
				t.Errorf("%s %q: got %s, %v, want %s", test.kind, test.text, got, err, test.fails)
			}
		case err != nil || string(got) != test.want:
			t.Errorf("%s %q: got %s, %v, want %s", test.kind, test.text, got, err, test.want)
		}
	}
}
