package mcptest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// A conversation with the house is right, or the test is told what is wrong.
func TestConversation(t *testing.T) {
	const greets = `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"house/greet","arguments":{"name":"Ann"}}}` + "\n"
	const hello = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Hello, Ann"}]}}`
	for _, tc := range []struct{ name, file, want string }{
		{"right", "It greets.\n-- key --\nbrass\n-- after/key --\nbrass\n-- wire --\n" + greets + "< " + hello + "\n", ""},
		{"another answer", "It greets.\n-- wire --\n" + greets + "< {}\n", "got " + hello},
		{"no line", "It greets.\n-- wire --\n> {\n<~ `.*`-32700`.*`\n", ""},
		{"more to say", "It greets.\n-- wire --\n" + greets, "it also said " + hello},
		{"a file that is not there", "It greets.\n-- after/key --\nbrass\n-- wire --\n# nothing\n", "no such file"},
		{"flags", "It greets.\n-- flags --\n--loud\n-- wire --\n# nothing\n", "takes no flags"},
		{"no sentence", "-- wire --\n# nothing\n", "does not begin with the sentence"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "greet.txtar")
			if err := os.WriteFile(path, []byte(tc.file), 0o644); err != nil {
				t.Fatal(err)
			}
			w := newChecker()
			told := strings.Join(w.try(func() {
				mcptest.Conversation(w, path, func(string) *mcp.Table { return house(nil) })
			}), "\n")
			if (tc.want == "") != (told == "") || !strings.Contains(told, tc.want) {
				t.Errorf("told %q, want %q", told, tc.want)
			}
		})
	}
}
