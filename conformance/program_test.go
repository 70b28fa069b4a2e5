package conformance

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

var command = flag.String("cmd", "", "ask this server instead of ours")

// patience is how long an answer may take.
const patience = 20 * time.Second

// buildDir is where the program is built, "" before TestMain.
var buildDir string

func TestMain(m *testing.M) {
	var err error
	if buildDir, err = os.MkdirTemp("", "conformance"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(buildDir) // what is left is the system's to clean
	os.Exit(code)
}

// program builds ours once, when the first test wants it, and returns the
// words that start it; or those of -cmd.
var program = sync.OnceValues(func() ([]string, error) {
	if *command != "" {
		return strings.Fields(*command), nil
	}
	path := filepath.Join(buildDir, "triptych")
	if out, err := exec.CommandContext(context.Background(), "go", "build", "-o", path, "../cmd/triptych").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return []string{path, "stdio"}, nil
})

// drive starts the program with the HTTPS road on a data folder.
func drive(t *testing.T, data string, words ...string) *web {
	t.Helper()
	argv, err := program()
	if err != nil {
		t.Fatal(err)
	}
	args, env := environment(data, words)
	argv = append([]string{argv[0], "serve", "--listen", "127.0.0.1:0"}, args...)
	w, err := openWeb(t.Context(), argv, env, data, patience)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// environment takes words with = as variables, and all others as arguments.
// $DATA in a word is the data folder.
func environment(data string, words []string) (args, env []string) {
	env = []string{"TRIPTYCH_DATA=" + data, "LOG_LEVEL=error", "VALKEY_HOST=", "VALKEY_PORT="}
	for _, word := range words {
		word = strings.ReplaceAll(word, "$DATA", data)
		if strings.Contains(word, "=") && !strings.HasPrefix(word, "-") {
			env = append(env, word)
		} else {
			args = append(args, word)
		}
	}
	return args, env
}

// start starts the program on a data folder. Words with = are variables of its
// environment, all others are arguments.
func start(t *testing.T, data string, words ...string) *pipe {
	t.Helper()
	argv, err := program()
	if err != nil {
		t.Fatal(err)
	}
	args, env := environment(data, words)
	argv = append(append([]string(nil), argv...), args...)
	p, err := openPipe(t.Context(), argv, env, patience)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ask sends a line and returns the next message.
func ask(t *testing.T, r mcptest.Road, line string) string {
	t.Helper()
	if err := r.Send(line); err != nil {
		t.Fatal(err)
	}
	return listen(t, r)
}

func listen(t *testing.T, r mcptest.Road) string {
	t.Helper()
	got, err := r.Hear()
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// leave ends the road, which must go well.
func leave(t *testing.T, r mcptest.Road) {
	t.Helper()
	if err := r.End(); err != nil {
		t.Error(err)
	}
}

// callLine is a tools/call request.
func callLine(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// saidLine is the result of a tool that answers with one text.
func saidLine(id int, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%q}]}}`, id, text)
}

// claim is the _meta of a modern request.
const claim = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
