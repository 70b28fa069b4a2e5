package conformance

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/internal/binary"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

var command = flag.String("cmd", "", "test this server instead of ours")

// patience limits the time for an answer.
const patience = 2 * time.Minute

// program returns the command line of the server under test: that of -cmd, or our
// program.
func program() ([]string, error) {
	if *command != "" {
		return strings.Fields(*command), nil
	}
	path, err := binary.Build()
	return []string{path, "stdio"}, err
}

// startHTTPS starts the program as an HTTPS server on a data folder.
func startHTTPS(t *testing.T, data string, words ...string) *httpsTransport {
	t.Helper()
	argv, err := program()
	if err != nil {
		t.Fatal(err)
	}
	args, env := environment(data, words)
	argv = append([]string{argv[0], "serve", "--listen", "127.0.0.1:0"}, args...)
	w, err := openHTTPS(t.Context(), argv, env, data, patience)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// environment splits words into environment variables, which contain =, and
// arguments. It replaces $DATA by the data folder.
func environment(data string, words []string) (args, env []string) {
	env = []string{"TRIPTYCH_DATA=" + data, "LOG_LEVEL=error", "TRIPTYCH_OUTPUT_SCHEMAS=always", "VALKEY_HOST=", "VALKEY_PORT="}
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

// startStdio starts the program on standard input and output and a data folder.
// Words with = are environment variables, all others are arguments.
func startStdio(t *testing.T, data string, words ...string) *pipe {
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

// roundTrip sends a line and returns the next message.
func roundTrip(t *testing.T, r mcptest.Transport, line string) string {
	t.Helper()
	if err := r.Send(line); err != nil {
		t.Fatal(err)
	}
	return receive(t, r)
}

func receive(t *testing.T, r mcptest.Transport) string {
	t.Helper()
	got, err := r.Receive()
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// closeTransport closes the transport and fails the test on errors.
func closeTransport(t *testing.T, r mcptest.Transport) {
	t.Helper()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// callLine returns a tools/call request.
func callLine(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// textResultLine returns the result of a tool with one text item.
func textResultLine(id int, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%q}]}}`, id, text)
}

// modernMeta is the _meta member of a modern request.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
