package mcptest

import (
	"slices"
	"strings"
	"testing"
)

// What a pattern has named stands for itself in all that follows.
func TestNames(t *testing.T) {
	for _, tc := range []struct {
		name, wire string
		says       []string
		sent, want string // want in the error, "" for none
	}{
		{"in what is sent", "> a\n<~ pid `(?<pid>\\d+)`\n> $pid $pids $pid", []string{"pid 42"}, "42 $pids 42", ""},
		{"in an answer", "<~ `(?<at>.*)`\n< at $at.", []string{"0x10", "at 0x10."}, "", ""},
		{"in another answer", "<~ `(?<at>.*)`\n< at $at.", []string{"0x10", "at 0x11."}, "", "want at 0x10."},
		{"in a pattern", "<~ `(?<at>.*)`\n<~ $at`,|$at;`", []string{"a.b", "a.ba.b;"}, "", ""},
		{"a value is no pattern", "<~ `(?<at>.*)`\n<~ `$at`", []string{"a.b", "acb"}, "", "wire line 2"},
		{"a value is no pattern beside one", "<~ `(?<at>.*)`\n<~ $at`;`", []string{"a.b", "acb;"}, "", "wire line 2"},
		{"anew", "<~ `(?<n>.)`\n<~ $n`(?<n>.)`\n< $n", []string{"1", "12", "2"}, "", ""},
		{"in any order", "<? a`(?<a>.)`\n<? b`(?<b>.)`\n> $a$b", []string{"b2", "a1"}, "12", ""},
		{"before they have a value", "> $n\n<~ `(?<n>.)`", []string{"1"}, "$n", ""},
		{"given from the beginning", "> $DATA/x\n< $DATA/x", []string{"/tmp/x"}, "/tmp/x", ""},
		{"not in a remark", "# $DATA", nil, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := parse([]byte("It answers.\n-- wire --\n" + tc.wire + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			transport := &script{says: tc.says}
			_, err = (&replay{transport: transport, names: names{"DATA": "/tmp"}}).run(c.turns)
			if got := text(err); (tc.want == "") != (err == nil) || !strings.Contains(got, tc.want) {
				t.Errorf("got error %q, want one with %q", got, tc.want)
			}
			if tc.sent != "" && !slices.Contains(transport.sent, tc.sent) {
				t.Errorf("sent %q, want %q among it", transport.sent, tc.sent)
			}
		})
	}
}

// An answer that is right keeps its names when answers are written anew.
func TestUpdateKeepsNames(t *testing.T) {
	const wire = "<~ `(?<n>.)`\n< is $n\n< old"
	c, err := parse([]byte("It answers.\n-- wire --\n" + wire + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	spoken, err := (&replay{transport: &script{says: []string{"1", "is 1", "new"}}, update: true, names: names{}}).run(c.turns)
	if err != nil {
		t.Error(err)
	}
	if got, want := lines(spoken), strings.Replace(wire, "old", "new", 1); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
