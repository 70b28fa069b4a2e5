package mcptest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// A conversation is a parsed conversation file.
type conversation struct {
	archive    *txtar.Archive
	wire       *txtar.File
	args       []string     // arguments of the program, after those that choose the transport
	files      []txtar.File // initial files of the data folder
	after      []txtar.File // expected final contents of files
	transports []string     // names of the transports it covers; empty means all
	turns      []turn
}

// A turn is one line of the section wire.
type turn struct {
	kind    kind
	line    int            // counted from 1
	text    string         // the line without its mark
	pattern *regexp.Regexp // of matches and anyOrder
}

type kind int

const (
	remark   kind = iota // # or an empty line
	say                  // >
	hear                 // <
	matches              // <~
	anyOrder             // <?
)

// marks are tried in this order.
var marks = []struct {
	mark string
	kind kind
}{
	{"> ", say},
	{"< ", hear},
	{"<~ ", matches},
	{"<? ", anyOrder},
	{"#", remark},
}

// covers reports whether the conversation runs over that transport. A transport
// without a name runs all conversations.
func (c *conversation) covers(transport string) bool {
	return transport == "" || len(c.transports) == 0 || slices.Contains(c.transports, transport)
}

// parse reads a conversation.
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

func parseTurn(line string) (turn, error) {
	if line == "" {
		return turn{}, nil
	}
	for _, m := range marks {
		text, ok := strings.CutPrefix(line, m.mark)
		if !ok {
			continue
		}
		t := turn{kind: m.kind, text: text}
		var err error
		if m.kind == matches || m.kind == anyOrder {
			t.pattern, err = compile(text, nil)
		}
		return t, err
	}
	return turn{}, errors.New("the line must begin with >, <, <~, <? or #")
}

// compile compiles a text in which only the parts in backquotes are regular
// expressions. Values of names are always literal.
func compile(text string, n names) (*regexp.Regexp, error) {
	parts := strings.Split(text, "`")
	if len(parts)%2 == 0 {
		return nil, errors.New("missing closing backquote")
	}
	for i := range parts {
		if i%2 == 0 {
			parts[i] = regexp.QuoteMeta(n.in(parts[i], plain))
		} else {
			parts[i] = "(?:" + n.in(parts[i], regexp.QuoteMeta) + ")"
		}
	}
	return regexp.Compile("^" + strings.Join(parts, "") + "$")
}

// String returns the line as in the file.
func (t turn) String() string {
	for _, m := range marks {
		if m.kind == t.kind && (t.kind != remark || t.text != "") {
			return m.mark + t.text
		}
	}
	return ""
}
