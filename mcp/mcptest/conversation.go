package mcptest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// A conversation is a parsed conversation file. The package comment describes its form.
type conversation struct {
	archive    *txtar.Archive
	wire       *txtar.File
	args       []string     // arguments of the program, after those that choose the transport
	files      []txtar.File // initial files of the data folder
	after      []txtar.File // expected final contents of files
	transports []string     // names of the transports it covers; empty means all
	turns      []turn
}

// covers reports whether the conversation runs over that transport. A transport
// without a name runs all conversations.
func (c *conversation) covers(transport string) bool {
	return transport == "" || len(c.transports) == 0 || slices.Contains(c.transports, transport)
}

// parse reads a conversation. What is wrong with the file is an error that says where.
func parse(data []byte) (*conversation, error) {
	c := &conversation{archive: txtar.Parse(data)}
	if sentence := strings.TrimSpace(string(c.archive.Comment)); !strings.HasSuffix(sentence, ".") {
		return nil, errors.New("it does not begin with the sentence that it proves, ending in a full stop")
	}
	for i := range c.archive.Files {
		c.section(&c.archive.Files[i])
	}
	if c.wire == nil {
		return nil, errors.New("there is no section wire")
	}
	return c, c.parseTurns()
}

// section assigns a section of the archive by its name.
func (c *conversation) section(f *txtar.File) {
	name, after := strings.CutPrefix(f.Name, afterwards)
	switch {
	case f.Name == "wire":
		c.wire = f
	case f.Name == "flags":
		c.args = strings.Fields(string(f.Data))
	case f.Name == "transports":
		c.transports = strings.Fields(string(f.Data))
	case after:
		c.after = append(c.after, txtar.File{Name: name, Data: f.Data})
	default:
		c.files = append(c.files, *f)
	}
}

// parseTurns reads the lines of the section wire. Lines are numbered within the section.
func (c *conversation) parseTurns() error {
	for n, line := range strings.Split(strings.TrimSuffix(string(c.wire.Data), "\n"), "\n") {
		t, err := parseTurn(line)
		if err != nil {
			return fmt.Errorf("wire line %d: %w", n+1, err)
		}
		t.line = n + 1
		c.turns = append(c.turns, t)
	}
	return nil
}

// afterwards prefixes the sections with the expected final contents of a file.
const afterwards = "after/"
