package jsonrpc_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"
)

// A parsing is one case of the suite: bytes, and in the first letter of its
// name whether they are JSON.
type parsing struct {
	name string
	text []byte
}

func (p parsing) must() string { return p.name[:1] }

// What testdata/cases.txt must have, so that a slip of the pen does not go
// unnoticed; see testdata/README.md.
const (
	suiteSum  = "31c0c03f26d4be3e41e46be8b58ad125551847978dffeba491a468aa2eb3793c"
	suiteSize = 318
)

// parsings reads the suite.
func parsings(t *testing.T) []parsing {
	t.Helper()
	file, err := os.ReadFile("testdata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []parsing
	sum := sha256.New()
	for line := range strings.Lines(string(file)) {
		name, literals, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		p := parsing{name, unquoted(t, literals)}
		sum.Write(p.text)
		all = append(all, p)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != suiteSum || len(all) != suiteSize {
		t.Fatalf("the suite has %d cases with the sum %s, want %d and %s", len(all), got, suiteSize, suiteSum)
	}
	return all
}

// unquoted joins literals, each of which may be there several times.
func unquoted(t *testing.T, literals string) []byte {
	t.Helper()
	var text []byte
	for rest := literals; rest != ""; rest = strings.TrimPrefix(rest, " ") {
		literal, err := strconv.QuotedPrefix(rest)
		if err != nil {
			t.Fatalf("%s: %v", literals, err)
		}
		piece, _ := strconv.Unquote(literal) // a prefix that is quoted
		rest = rest[len(literal):]
		times := 1
		if strings.HasPrefix(rest, "*") {
			var number string
			number, rest, _ = strings.Cut(rest[1:], " ")
			if times, err = strconv.Atoi(number); err != nil {
				t.Fatalf("%s: %v", literals, err)
			}
		}
		text = append(text, bytes.Repeat([]byte(piece), times)...)
	}
	return text
}
