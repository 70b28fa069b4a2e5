package mcptest

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A script is a transport to a server that says these lines whatever it hears.
type script struct {
	says []string
	sent []string
}

func (s *script) Send(line string) error { s.sent = append(s.sent, line); return nil }
func (s *script) Close() error           { return nil }

func (s *script) Receive() (string, error) {
	if len(s.says) == 0 {
		return "", ErrEnded
	}
	line := s.says[0]
	s.says = s.says[1:]
	return line, nil
}

func TestReplay(t *testing.T) {
	for _, tc := range []struct {
		name, wire string
		says       []string
		want       string // in the error, "" for none
	}{
		{"the answer", "> a\n< b", []string{"b"}, ""},
		{"another answer", "> a\n\n# why\n< b", []string{"c"}, "wire line 4:\n got c\nwant b"},
		{"a blank more", "> a\n< b", []string{"b "}, "got b "},
		{"no answer", "> a\n< b", nil, "wire line 2: the server ended"},
		{"a pattern", "<~ {\"a.b\":`[0-9]+`}", []string{`{"a.b":12}`}, ""},
		{"a point is a point", "<~ {\"a.b\":`[0-9]+`}", []string{`{"acb":12}`}, "wire line 1"},
		{"a pattern is the whole line", "<~ `[0-9]`", []string{"12"}, "wire line 1"},
		{"alternatives stay inside", "<~ a`b|c`d", []string{"ab"}, "wire line 1"},
		{"any order", "<? a\n<? `b+`\n< c", []string{"bb", "a", "c"}, ""},
		{"each of them once", "<? a\n<? b", []string{"a", "a"}, "want any of <? b"},
		{"one of them missing", "<? a\n<? b", []string{"b"}, "still expected: <? a"},
		{"the group has an end", "<? a\n\n<? b", []string{"b", "a"}, "got b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := parse([]byte("It answers.\n-- wire --\n" + tc.wire + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			_, err = (&replay{transport: &script{says: tc.says}}).run(c.turns)
			if got := text(err); (tc.want == "") != (err == nil) || !strings.Contains(got, tc.want) {
				t.Errorf("got error %q, want one with %q", got, tc.want)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestUpdateRewritesAnswersOnly(t *testing.T) {
	c, err := parse([]byte("It answers.\n-- wire --\n# first\n> a\n< old\n\n<~ `x+`\n<? y\n"))
	if err != nil {
		t.Fatal(err)
	}
	spoken, err := (&replay{transport: &script{says: []string{"new", "xx", "y"}}, update: true}).run(c.turns)
	if err != nil {
		t.Error(err)
	}
	if got, want := lines(spoken), "# first\n> a\n< new\n\n<~ `x+`\n<? y"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestParseRefuses(t *testing.T) {
	for data, want := range map[string]string{
		"-- wire --\n> a\n":              "sentence",
		"No sentence\n-- wire --\n> a\n": "sentence",
		"It is.\n-- flags --\n--x\n":     "no section wire",
		"It is.\n-- wire --\n> a\n>b\n":  "wire line 2",
		"It is.\n-- wire --\n<~ a`b\n":   "backquote",
		"It is.\n-- wire --\n<? `(`\n":   "missing closing",
	} {
		if _, err := parse([]byte(data)); !strings.Contains(text(err), want) {
			t.Errorf("%q: got error %v, want one with %q", data, err, want)
		}
	}
}

// A looker finds fault with what begins with an x, and notes what it sees.
type looker struct{ seen []string }

func (l *looker) Sent(line string) { l.seen = append(l.seen, "sent "+line) }

func (l *looker) Received(line string) error {
	l.seen = append(l.seen, "heard "+line)
	if strings.HasPrefix(line, "x") {
		return errors.New("no x is said here")
	}
	return nil
}

// A checker sees every line, and what it finds wrong counts though the words
// were right.
func TestCheckerLooksOn(t *testing.T) {
	c, err := parse([]byte("It answers.\n-- wire --\n> a\n< xb\n<? c\n"))
	if err != nil {
		t.Fatal(err)
	}
	l := &looker{}
	_, err = (&replay{transport: &script{says: []string{"xb", "c"}}, checker: l}).run(c.turns)
	if text(err) != "no x is said here" {
		t.Errorf("got error %v, want the checker's", err)
	}
	if diff := cmp.Diff([]string{"sent a", "heard xb", "heard c"}, l.seen); diff != "" {
		t.Errorf("it saw (-want +got):\n%s", diff)
	}
}

func TestConversationNamesItsRoads(t *testing.T) {
	for _, tc := range []struct {
		section, transport string
		want               bool
	}{
		{"", "stdio", true},
		{"-- transports --\nstdio\n", "stdio", true},
		{"-- transports --\nstdio\n", "https", false},
		{"-- transports --\nstdio https\n", "https", true},
		{"-- transports --\nstdio\n", "", true},
	} {
		c, err := parse([]byte("It answers.\n" + tc.section + "-- wire --\n> a\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.covers(tc.transport); got != tc.want {
			t.Errorf("%q over %q: got %v, want %v", tc.section, tc.transport, got, tc.want)
		}
	}
}
