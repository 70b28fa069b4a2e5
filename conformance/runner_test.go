package conformance

import (
	"bufio"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A script is a road to a server that says these lines whatever it hears.
type script struct {
	says []string
	sent []string
}

func (s *script) send(line string) error { s.sent = append(s.sent, line); return nil }
func (s *script) end() error             { return nil }

func (s *script) hear() (string, error) {
	if len(s.says) == 0 {
		return "", errEnded
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
		{"one of them missing", "<? a\n<? b", []string{"b"}, "open were <? a"},
		{"the group has an end", "<? a\n\n<? b", []string{"b", "a"}, "got b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := parse([]byte("It answers.\n-- wire --\n" + tc.wire + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			_, err = (&replay{road: &script{says: tc.says}}).run(c.turns)
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
	spoken, err := (&replay{road: &script{says: []string{"new", "xx", "y"}}, update: true}).run(c.turns)
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

func TestSilentServerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pipe{lines: make(chan string), patience: time.Minute}
		began := time.Now()
		if _, err := p.hear(); text(err) != "no answer within 1m0s" {
			t.Errorf("got error %v", err)
		}
		if took := time.Since(began); took != time.Minute {
			t.Errorf("it took %v, want 1m", took)
		}
	})
}

// Servers that are written in shell show what the road finds wrong at the end.
func TestPipeEnds(t *testing.T) {
	for _, tc := range []struct{ name, server, want string }{
		{"well", `read a; echo "$a"`, ""},
		{"with more to say", `read a; echo "$a"; read b; echo more`, "it also said more"},
		{"with a status", `read a; echo "$a"; exit 3`, "exit status 3"},
		{"never", `read a; echo "$a"; exec sleep 600`, "signal: killed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := openPipe(t.Context(), []string{"sh", "-c", tc.server}, nil, time.Second)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.send("hello"); err != nil {
				t.Error(err)
			}
			if got, err := p.hear(); got != "hello" || err != nil {
				t.Errorf("heard %q, %v", got, err)
			}
			if err := p.end(); (tc.want == "") != (err == nil) || !strings.Contains(text(err), tc.want) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestOverlongLineIsNoEnd(t *testing.T) {
	p, err := openPipe(t.Context(), []string{"sh", "-c", `head -c 20000000 /dev/zero | tr '\0' x; cat >&2`}, nil, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.hear(); !errors.Is(err, bufio.ErrTooLong) {
		t.Errorf("heard %d bytes, %v; want %v", len(got), err, bufio.ErrTooLong)
	}
}
