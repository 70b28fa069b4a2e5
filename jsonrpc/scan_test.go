package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

var seeds = []string{
	`{}`, `[]`, `null`, `true`, `false`, `0`, `-0`, `01`, `1.5e+10`, `1.`, `.5`, `1e`, `"a"`, `"\u00e9"`, `"\ud83d\ude00"`,
	`"\ud83d"`, `"\x"`, "\"\x00\"", `{"a":[1,{"b":null}],"c":"` + strings.Repeat("é", 20) + `"}`, `{"a":1,}`, `[1,]`, `[1 2]`,
	"\"\xff\"", `{"a":"01234567\"89abcdef\\"}`, ` [ 1 , 2 ] `, `tru`, `{"a" 1}`, `nul`, `"`, `{"`, `[[[[`, `"\u12"`, "\ufeff{}",
}

// FuzzValid takes encoding/json as the oracle. It lets bytes through that are
// not UTF-8, and nests deeper.
func FuzzValid(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if bytes.Count(b, []byte("["))+bytes.Count(b, []byte("{")) > 500 {
			return
		}
		want := json.Valid(b) && utf8.Valid(b)
		if err := jsonrpc.Valid(b, jsonrpc.DefaultDepth); (err == nil) != want {
			t.Errorf("Valid(%q) = %v, want valid = %t", b, err, want)
		}
	})
}

func TestDepthIsBounded(t *testing.T) {
	for _, tc := range []struct {
		depth int
		valid bool
	}{{10, true}, {11, false}, {100_000, false}} {
		b := []byte(strings.Repeat("[", tc.depth) + strings.Repeat("]", tc.depth))
		if err := jsonrpc.Valid(b, 10); (err == nil) != tc.valid {
			t.Errorf("depth %d: %v", tc.depth, err)
		}
	}
}

// FuzzString checks that literals mean what encoding/json says they mean, in
// both directions.
func FuzzString(f *testing.F) {
	for _, s := range []string{"", "a", "é\n\"\\\x00\x1f", "<&>\u2028", "01234567890123456\"", "\xff\xfe", strings.Repeat("x", 70) + "\t"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		lit := jsonrpc.AppendString([]byte("x"), s)[1:]
		var back string
		if err := json.Unmarshal(lit, &back); err != nil {
			t.Fatalf("AppendString(%q) = %s: %v", s, lit, err)
		}
		if utf8.ValidString(s) && back != s {
			t.Errorf("AppendString(%q) means %q", s, back)
		}
		if jsonrpc.Valid(lit, 1) != nil {
			t.Errorf("AppendString(%q) = %s, which is not valid", s, lit)
		}
		if got := jsonrpc.Unquote(lit); got != back {
			t.Errorf("Unquote(%s) = %q, want %q", lit, got, back)
		}
		theirs, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := jsonrpc.Unquote(theirs); utf8.ValidString(s) && got != s {
			t.Errorf("Unquote(%s) = %q, want %q", theirs, got, s)
		}
	})
}

// FuzzUnquote compares any literal with encoding/json.
func FuzzUnquote(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, lit []byte) {
		if len(lit) < 2 || lit[0] != '"' || jsonrpc.Valid(lit, 1) != nil || lit[len(lit)-1] != '"' {
			return
		}
		var want string
		if err := json.Unmarshal(lit, &want); err != nil {
			t.Fatal(err)
		}
		if got := jsonrpc.Unquote(lit); got != want {
			t.Errorf("Unquote(%s) = %q, want %q", lit, got, want)
		}
	})
}

// FuzzMembers checks the walk against encoding/json's tokens.
func FuzzMembers(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 || b[0] != '{' || jsonrpc.Valid(b, 100) != nil {
			return
		}
		dec := json.NewDecoder(bytes.NewReader(b))
		if _, err := dec.Token(); err != nil {
			t.Fatal(err)
		}
		members := jsonrpc.Members(b)
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				t.Fatal(err)
			}
			var value json.RawMessage
			if err := dec.Decode(&value); err != nil {
				t.Fatal(err)
			}
			if !members.Next() || string(members.Key()) != key || !bytes.Equal(members.Value(), value) {
				t.Fatalf("member %q: %s, want %q: %s", members.Key(), members.Value(), key, value)
			}
		}
		if members.Next() {
			t.Errorf("there is one more member: %q", members.Key())
		}
	})
}
