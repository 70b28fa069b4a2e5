package mcptest

import (
	"errors"
	"regexp"
	"slices"
	"strings"
)

// A turn is one line of the section wire.
type turn struct {
	kind    kind
	line    int            // counted from 1
	text    string         // the line without its mark
	pattern *regexp.Regexp // of matches and anyOrder
}

// A kind is the meaning of a line, which its mark states.
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

// parseTurn reads one line. A pattern is compiled here only to report mistakes early; names
// may change it, see [names.resolve].
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

// resolve returns the turn with names replaced by their values. It is called when the turn is
// played: only then the names of the lines before are known.
func (n names) resolve(t turn) (turn, error) {
	var err error
	if t.pattern != nil {
		t.pattern, err = compile(t.text, n)
	} else if t.kind != remark {
		t.text = n.in(t.text, plain)
	}
	return t, err
}

// learn defines the names of the groups (?<name>…) in a turn's pattern.
func (n names) learn(t turn, got string) {
	if t.pattern == nil {
		return
	}
	for i, value := range t.pattern.FindStringSubmatch(got) {
		if name := t.pattern.SubexpNames()[i]; name != "" {
			n[name] = value
		}
	}
}

// takes reports whether the message matches the turn.
func (t *turn) takes(got string) bool {
	if t.pattern != nil {
		return t.pattern.MatchString(got)
	}
	return t.text == got
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

// group returns the number of consecutive <? lines.
func group(turns []turn) int {
	if n := slices.IndexFunc(turns, func(t turn) bool { return t.kind != anyOrder }); n >= 0 {
		return n
	}
	return len(turns)
}

// lines formats the turns as in the file.
func lines(turns []turn) string {
	all := make([]string, len(turns))
	for i, t := range turns {
		all[i] = t.String()
	}
	return strings.Join(all, "\n")
}
