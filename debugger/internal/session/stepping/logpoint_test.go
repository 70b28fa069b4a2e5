package stepping

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// A message is text with expressions in braces; two opening braces are one of the text.
func TestParseMessage(t *testing.T) {
	for _, test := range []struct{ message, want, fails string }{
		{message: "plain", want: `"plain"`},
		{message: "n is {n}", want: `"n is " <>`},
		{message: "{n}", want: `"" <>`},
		{message: "{a}{b+1} end", want: `"" <> "" <> " end"`},
		{message: "{{n}", want: `"{" "n}"`},
		{message: "{{{n}", want: `"{" "" <>`},
		{message: "a } b", want: `"a } b"`},
		{message: "", want: ""},
		{message: "n is {n", fails: "a brace that is not closed"},
		{message: "{", fails: "a brace that is not closed"},
		{message: "{}", fails: `the expression ""`},
		{message: "{1 +}", fails: `the expression "1 +"`},
	} {
		parts, err := parseMessage(test.message)
		var shown []string
		for _, p := range parts {
			if p.value != nil {
				shown = append(shown, "<>")
			} else {
				shown = append(shown, fmt.Sprintf("%q", p.text))
			}
		}
		switch got := strings.Join(shown, " "); {
		case test.fails != "":
			if err == nil || !strings.Contains(err.Error(), test.fails) {
				t.Errorf("%q: got %s, %v, want %s", test.message, got, err, test.fails)
			}
		case err != nil || got != test.want:
			t.Errorf("%q: got %s, %v, want %s", test.message, got, err, test.want)
		}
	}
}

// The latest lines are kept for an answer, which says how many were dropped. Nothing of
// them is in the next one.
func TestLoggedKeepsTheLatest(t *testing.T) {
	var l Logged
	for i := range maxLogged + 7 {
		l.add(fmt.Sprint(i))
	}
	got := l.Take()
	if len(got) != maxLogged+1 || got[0] != "(7 lines left out)" || got[1] != "7" || got[maxLogged] != fmt.Sprint(maxLogged+6) {
		t.Errorf("%d lines: %q, %q … %q", len(got), got[0], got[1], got[len(got)-1])
	}
	if again := l.Take(); len(again) != 0 {
		t.Errorf("the next answer has %q", again)
	}
	l.add("new")
	if got := l.Take(); !slices.Equal(got, []string{"new"}) {
		t.Errorf("then %q", got)
	}
}

// A long line is cut between characters.
func TestLoggedCutsLines(t *testing.T) {
	for shift := range 4 {
		var l Logged
		line := strings.Repeat("a", shift) + strings.Repeat("€", maxLogLine)
		l.add(line)
		got := l.Take()[0]
		if !utf8.ValidString(got) || !strings.HasSuffix(got, "…") || len(got) > maxLogLine+len("…") || !strings.HasPrefix(line, strings.TrimSuffix(got, "…")) {
			t.Errorf("%d bytes: %q", len(got), got)
		}
	}
}
