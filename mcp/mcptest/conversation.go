package mcptest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// A conversation is one file, taken apart.
type conversation struct {
	archive *txtar.Archive
	wire    *txtar.File
	args    []string     // of the program, after those that choose the road
	files   []txtar.File // of the data folder
	after   []txtar.File // what files of it must be in the end
	roads   []string     // the names of those it is about; none means all
	turns   []turn
}

// A turn is one line of the section wire.
type turn struct {
	kind    kind
	line    int            // counted from 1
	text    string         // without its mark
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

// over reports whether the conversation is about that road, among others. A
// road without a name is for all.
func (c *conversation) over(road string) bool {
	return road == "" || len(c.roads) == 0 || slices.Contains(c.roads, road)
}

// parse reads a conversation.
func parse(data []byte) (*conversation, error) {
	c := &conversation{archive: txtar.Parse(data)}
	if sentence := strings.TrimSpace(string(c.archive.Comment)); !strings.HasSuffix(sentence, ".") {
		return nil, errors.New("it does not begin with the sentence that it proves")
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
	case f.Name == "roads":
		c.roads = strings.Fields(string(f.Data))
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
	return turn{}, errors.New("it begins with none of >, <, <~, <? and #")
}

// compile makes a pattern of a text in which only what stands in backquotes is
// a regular expression. Values of names are never one.
func compile(text string, n names) (*regexp.Regexp, error) {
	parts := strings.Split(text, "`")
	if len(parts)%2 == 0 {
		return nil, errors.New("a backquote is not closed")
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

// String is the line as it stands in the file.
func (t turn) String() string {
	for _, m := range marks {
		if m.kind == t.kind && (t.kind != remark || t.text != "") {
			return m.mark + t.text
		}
	}
	return ""
}
