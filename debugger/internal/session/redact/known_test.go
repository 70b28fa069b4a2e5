package redact_test

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/session/redact"
)

// Six bytes of a secret that is known are masked, five are not; in either order, and in
// characters of any width.
func TestKnown(t *testing.T) {
	var known redact.Known
	known.Add([]byte(token))
	wide := func(text string, width int) []byte {
		b := make([]byte, len(text)*width)
		for i := range len(text) {
			b[i*width] = text[i]
		}
		return b
	}
	for _, tt := range []struct {
		value []byte
		want  bool
	}{
		{[]byte(token[:6]), true}, {[]byte(token[len(token)-6:]), true}, {[]byte(token[7:12]), false},
		{[]byte("\x00\x01" + token[7:13] + "\xff"), true}, {[]byte(token[7:10] + "\x00" + token[10:13]), false},
		{[]byte("4e7C61_phg"), true}, // backward
		{wide(token[7:13], 2), true}, {wide(token[7:13], 4), true}, {append([]byte{1}, wide(token[7:13], 4)...), true},
		{nil, false}, {make([]byte, 64), false},
	} {
		if got := known.In(tt.value); got != tt.want {
			t.Errorf("%q: got %v, want %v", tt.value, got, tt.want)
		}
	}
	if none := (*redact.Known)(nil); none.In([]byte(token)) {
		t.Error("nothing is known, and masked")
	}
}

// Numbers, addresses and what secrets share with other texts are not masked.
func TestKnownMasksLittleElse(t *testing.T) {
	var known redact.Known
	known.Add([]byte(token))
	known.Add([]byte("-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAxyz\n-----END RSA PRIVATE KEY-----"))
	known.Add([]byte("https://hooks.slack.com/services/T0AAAAAAAAAAAAAAAA"))
	known.Add([]byte("/run/secrets/of-the-shop"))
	for _, text := range []string{"-----BEGIN RSA PRIVATE", "https://hooks.slack.com", "AAAAAAAA", "/run/secrets/of-the-shop", "        ", "UUUU\x55\x55\x55"} {
		if known.In([]byte(text)) {
			t.Errorf("%q is masked", text)
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		n := random.Uint64() >> random.IntN(64)
		if known.In(binary.LittleEndian.AppendUint64(nil, n)) {
			t.Errorf("%#x is masked", n)
		}
	}
}

// The last secrets are remembered, however many there are.
func TestKnownForgetsTheOldest(t *testing.T) {
	var known redact.Known
	random := rand.New(rand.NewPCG(5, 6))
	text := func() []byte {
		b := make([]byte, 1000)
		for i := range b {
			b[i] = byte('!' + random.IntN(90))
		}
		return b
	}
	first, before := text(), text()
	known.Add(first)
	for range 80 {
		known.Add(text())
	}
	known.Add(before)
	known.Add(text())
	if known.In(first) || !known.In(before[500:506]) {
		t.Errorf("the first secret is known: %v, the last but one: %v", known.In(first), known.In(before[500:506]))
	}
}

// A part of a secret that was met in memory is masked in memory without the whole, also if
// what is shown has but a byte of it.
func TestMaskerKnowsParts(t *testing.T) {
	var known redact.Known
	whole := make([]byte, 4096)
	copy(whole[100:], token)
	redact.New(memory(whole), &known).Search(base + 100)
	rest := make([]byte, 3*4096)
	part := token[9:29]
	at := 4096 - 7 // in two pages
	copy(rest[at:], part)
	m := redact.New(memory(rest), &known)
	for i := range part {
		p := []byte{part[i]}
		if m.Mask(base+uint64(at+i), p); p[0] != '*' {
			t.Errorf("byte %d of the part is shown", i)
		}
	}
	p := append([]byte(nil), rest...)
	if m.Mask(base, p); leaked(string(p)) || strings.Count(string(p), "*") != len(part) {
		t.Errorf("got %q", p[at:at+len(part)])
	}
}

func BenchmarkSearch(b *testing.B) {
	page := make([]byte, 3*4096)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range page {
		page[i] = byte(random.IntN(256))
	}
	copy(page[5000:], token)
	var known redact.Known
	for b.Loop() {
		redact.New(memory(page), &known).Search(base + 5000)
	}
}
