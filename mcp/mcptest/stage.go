package mcptest

import (
	"errors"
	"os"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/triptych-mcp/triptych/mcp"
)

// A Witness looks on while a conversation is held.
type Witness interface {
	// Sent tells it what the client says.
	Sent(line string)
	// Heard tells it what the server says, and returns what is wrong with that.
	Heard(line string) error
}

// A Stage is where conversations are held.
type Stage struct {
	// Road is the road's name, by which a conversation may say that it is about
	// some roads alone; the others pass over it. "" takes all conversations.
	Road string
	// Open opens the road to a server that has these arguments, and a data
	// folder with the conversation's files in it.
	Open func(data string, args []string) (Road, error)
	// Witness looks on; nil for nobody.
	Witness Witness
}

// Updating reports whether golden files and answers are being written anew. A
// conversation that has several stages should then be held on one of them.
func Updating() bool { return *update }

// Conversation holds the conversation of a file with a server of this process:
// open makes its table, which may use the data folder.
func Conversation(t T, path string, open func(data string) *mcp.Table) {
	t.Helper()
	stage := Stage{Open: func(data string, args []string) (Road, error) {
		if len(args) > 0 {
			return nil, errors.New("flags are for programs, and this server is none")
		}
		return Config{}.Road(t, open(data)), nil
	}}
	stage.Conversation(t, path)
}

// Conversation holds the conversation of a file. With -update the lines that
// begin with < become what the server said.
func (s Stage) Conversation(t T, path string) {
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
	if c.over(s.Road) {
		s.hold(t, path, c)
	}
}

func (s Stage) hold(t T, path string, c *conversation) {
	t.Helper()
	data := t.TempDir()
	if err := lay(data, c.files); err != nil {
		t.Fatalf("%v", err)
		return
	}
	road, err := s.Open(data, c.args)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
		return
	}
	r := &replay{road: road, witness: s.Witness, update: *update, names: names{"DATA": data}}
	spoken, err := r.run(c.turns)
	if err := errors.Join(err, road.End(), compare(data, c.after)); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	if *update {
		c.wire.Data = []byte(lines(spoken) + "\n")
		if err := os.WriteFile(path, txtar.Format(c.archive), 0o644); err != nil {
			t.Errorf("%v", err)
		}
	}
}
