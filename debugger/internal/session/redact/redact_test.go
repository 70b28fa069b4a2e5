package redact_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/session/redact"
)

// token has the form of a token of GitHub, and opens nothing.
const token = "gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a"

// leaked reports whether a text has six bytes of the token.
func leaked(text string) bool {
	for i := 0; i+6 <= len(token); i++ {
		if strings.Contains(text, token[i:i+6]) {
			return true
		}
	}
	return false
}

// Output that is shown in parts has nothing of a token, and all around it at its place.
func TestOutput(t *testing.T) {
	whole := "starting\nthe token is " + token + ", which\nopens nothing\n"
	at := strings.Index(whole, token)
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var got []byte
		for written := 0; written < len(whole); {
			written = min(len(whole), written+1+random.IntN(30))
			got = append(got, redact.Output([]byte(whole[:written]), len(got), written, false, written < len(whole))...)
		}
		text := string(got)
		if len(text) != len(whole) || leaked(text) || text[:at] != whole[:at] || !strings.HasSuffix(text[:at+len(token)], "ked:github-pat>"+strings.Repeat("*", len(token)-len("<masked:github-pat>"))) || text[at+len(token):] != whole[at+len(token):] {
			t.Fatalf("got %q", text)
		}
	}
}

// From anywhere on, also when the beginning of the output is gone, nothing of a token is
// shown.
func TestOutputFromAnywhere(t *testing.T) {
	whole := "the token is " + token + ", which\n"
	for gone := range len(whole) {
		text := []byte(whole[gone:])
		for from := range text {
			if got := redact.Output(text, from, len(text), gone > 0, false); len(got) != len(text)-from || leaked(string(got)) {
				t.Fatalf("without %d bytes, from %d: got %q", gone, from, got)
			}
		}
	}
}

// A word that may go on with what the program writes next is left out, other texts are not.
func TestOutputThatGoesOn(t *testing.T) {
	for _, tt := range []struct {
		text string
		open bool
		want string
	}{
		{"Name: ", true, "Name: "}, {"ok", true, "ok"}, {"ok finish", true, "ok "}, {"ok finished\n", true, "ok finished\n"}, {"the end", false, "the end"},
	} {
		if got := redact.Output([]byte(tt.text), 0, len(tt.text), false, tt.open); string(got) != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

// base is the address of the memory of a test.
const base = 0x7000_0000

// memory reads bytes at base.
func memory(b []byte) func(addr uint64, p []byte) int {
	return func(addr uint64, p []byte) int {
		if addr < base || addr >= base+uint64(len(b)) {
			return 0
		}
		return copy(p, b[addr-base:])
	}
}

// Wherever a secret is in memory, in characters of one, two or four bytes, each part of it
// is masked, and other bytes are not.
func TestMasker(t *testing.T) {
	for _, width := range []int{1, 2, 4} {
		for _, at := range []int{0, 100, 4096 - 20*width, 8192 - 4*width, 3*4096 - len(token)*width} {
			b := make([]byte, 3*4096)
			for i := range b {
				b[i] = byte(128 + i%100)
			}
			for i := range len(token) * width {
				b[at+i] = 0
			}
			for i := range len(token) {
				b[at+i*width] = token[i]
			}
			for _, n := range []int{1, 8, 64, 3 * 4096} {
				m := redact.New(memory(b), nil)
				for from := max(0, at-64); from < min(len(b), at+len(token)*width+64); from += n {
					p := append([]byte(nil), b[from:min(len(b), from+n)]...)
					m.Mask(base+uint64(from), p)
					for i, c := range p {
						inside := from+i >= at && from+i < at+len(token)*width && (from+i-at)%width == 0
						if inside && !strings.ContainsRune("<masked:github-pat>*", rune(c)) || !inside && c != b[from+i] {
							t.Fatalf("width %d, token at %d: the byte at %d became %q", width, at, from+i, c)
						}
					}
				}
			}
		}
	}
}

// Memory that cannot be read has no secrets.
func TestMaskerAtTheEnds(*testing.T) {
	none := redact.New(func(uint64, []byte) int { return 0 }, nil)
	for _, addr := range []uint64{0, 1<<64 - 4} {
		none.Mask(addr, make([]byte, 4))
	}
	none.Mask(5, nil)
}
