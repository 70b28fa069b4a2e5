package mcptest

import (
	"errors"
	"os"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/triptych-mcp/triptych/mcp"
)

// A Replay replays conversations over one transport. Open is required.
type Replay struct {
	// Transport names the transport. Conversations that are limited to other
	// transports are skipped; "" runs all.
	Transport string
	// Open starts a server with args and a data folder that already holds the
	// conversation's files.
	Open func(data string, args []string) (Transport, error)
	// Checker observes all messages; it may be nil.
	Checker Checker
}

// Updating reports whether golden files and answers are being rewritten, by the flag -update.
// Replay a conversation over one transport only in that case.
func Updating() bool { return *update }

// Conversation replays the conversation in a file with a server in this process. open returns
// the server's table, which may use the data folder; it is called once. Flags in the file are
// an error.
func Conversation(t T, path string, open func(data string) *mcp.Table) {
	t.Helper()
	replay := Replay{Open: func(data string, args []string) (Transport, error) {
		if len(args) > 0 {
			return nil, errors.New("a server in this process takes no flags")
		}
		return Config{}.OpenTransport(t, open(data)), nil
	}}
	replay.Conversation(t, path)
}

// Conversation replays the conversation in a file, unless that is limited to other transports.
// With -update it rewrites the lines that begin with <. All differences of one run are
// reported together.
func (r Replay) Conversation(t T, path string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v", err)
		return
	}
	c, err := parse(raw)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
		return
	}
	if c.covers(r.Transport) {
		r.run(t, path, c)
	}
}

// run replays a parsed conversation in a data folder of its own.
func (r Replay) run(t T, path string, c *conversation) {
	t.Helper()
	data := t.TempDir()
	if err := writeFiles(data, c.files); err != nil {
		t.Fatalf("%v", err)
		return
	}
	transport, err := r.Open(data, c.args)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
		return
	}
	p := &replay{transport: transport, checker: r.Checker, update: *update, names: names{"DATA": data}}
	played, err := p.run(c.turns)
	if err := errors.Join(err, transport.Close(), compare(data, c.after)); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	if *update {
		c.wire.Data = []byte(lines(played) + "\n")
		if err := os.WriteFile(path, txtar.Format(c.archive), 0o644); err != nil {
			t.Errorf("%v", err)
		}
	}
}
