package conformance

import (
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
)

// valkey starts a database for the test and returns the words that select it.
func valkey(t *testing.T) (*miniredis.Miniredis, []string) {
	t.Helper()
	db := miniredis.RunT(t)
	return db, []string{"--families=rulesets", "VALKEY_HOST=" + db.Host(), "VALKEY_PORT=" + db.Port()}
}

// A database that another server of the documented schema wrote works as it is.
func TestDocumentedKeysAreRead(t *testing.T) {
	db, words := valkey(t)
	db.HSet("ruleset:python_style_guide",
		"description", "Python coding style guidelines for team projects",
		"tags", `["python","style","pep8"]`,
		"markdown", "# Python Style Guide\n\n## Naming Conventions\n...",
		"created_at", "2025-10-29T10:30:00Z",
		"last_modified", "2025-10-29T15:45:00Z")
	p := startStdio(t, t.TempDir(), words...)
	const want = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"---\nname: python_style_guide\n` +
		`description: Python coding style guidelines for team projects\ntags: [python style pep8]\n` +
		`created_at: 2025-10-29 10:30:00\nlast_modified: 2025-10-29 15:45:00\n---\n\n# Python Style Guide\n\n## Naming Conventions\n..."}]}}`
	if got := roundTrip(t, p, callLine(1, "get_ruleset", `{"name":"python_style_guide"}`)); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	closeTransport(t, p)
}

// The keys are written as the schema documents them, so that other servers can read
// them.
func TestDocumentedKeysAreWritten(t *testing.T) {
	db, words := valkey(t)
	p := startStdio(t, t.TempDir(), words...)
	line := callLine(1, "create_ruleset", `{"name":"api_design","description":"RESTful","tags":["api","rest"],"markdown":"# API\n"}`)
	if got, want := roundTrip(t, p, line), textResultLine(1, "Successfully created ruleset 'api_design'"); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	closeTransport(t, p)
	const utc = `20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`
	for field, want := range map[string]string{
		"description": "RESTful", "tags": `\["api","rest"\]`, "markdown": "# API\n",
		"created_at": utc, "last_modified": utc,
	} {
		pattern := regexp.MustCompile("^" + want + "$")
		if got := db.HGet("ruleset:api_design", field); !pattern.MatchString(got) {
			t.Errorf("%s: got %q, want %q", field, got, want)
		}
	}
}

// While the database is down, calls fail naming it; when it is back they work.
func TestStorageGoesAndComesBack(t *testing.T) {
	db, words := valkey(t)
	p := startStdio(t, t.TempDir(), words...)
	list := callLine(1, "list_rulesets", `{}`)
	empty := textResultLine(1, "No rulesets found")
	if got := roundTrip(t, p, list); got != empty {
		t.Errorf("got %s\nwant %s", got, empty)
	}
	db.Close()
	for range 3 {
		got := roundTrip(t, p, list)
		if !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"`) || !strings.Contains(got, "Valkey") {
			t.Errorf("got %s, want -32603 naming Valkey", got)
		}
	}
	if got, want := roundTrip(t, p, `{"jsonrpc":"2.0","id":2,"method":"ping"}`), `{"jsonrpc":"2.0","id":2,"result":{}}`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if err := db.Restart(); err != nil {
		t.Fatal(err)
	}
	if got := roundTrip(t, p, list); got != empty {
		t.Errorf("got %s\nwant %s", got, empty)
	}
	closeTransport(t, p)
}

// Without its database at the start, the program says so and fails, and
// standard output stays empty.
func TestNoStorageAtStart(t *testing.T) {
	db, words := valkey(t)
	db.Close()
	argv, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), argv[0], append(append([]string(nil), argv[1:]...), words[0])...)
	cmd.Env = append(cmd.Environ(), append(words[1:], "TRIPTYCH_DATA="+t.TempDir())...)
	var out, problems bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"), &out, &problems
	if err := cmd.Run(); err == nil {
		t.Error("it ended with status 0")
	}
	if !strings.Contains(problems.String(), "failed to connect to Valkey: ") {
		t.Errorf("standard error has %q", problems.String())
	}
	if out.Len() > 0 {
		t.Errorf("standard output has %q", out.String())
	}
}
