package keys_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/transport/keys"
)

func TestTokenForm(t *testing.T) {
	form := regexp.MustCompile(`^kdb_(live|test)_[0-9A-Za-z]{36}$`)
	seen := map[string]bool{}
	for i := range 2000 {
		kind := []keys.Kind{keys.Live, keys.Test}[i%2]
		token := keys.NewToken(kind)
		text := token.Reveal()
		if !form.MatchString(text) || !strings.HasPrefix(text, "kdb_"+string(kind)+"_") || token.Kind() != kind {
			t.Fatalf("%q of kind %q is no token of kind %q", text, token.Kind(), kind)
		}
		if seen[text] {
			t.Fatal("a token came twice")
		}
		seen[text] = true
		if parsed, err := keys.ParseToken(text); err != nil || parsed != token {
			t.Fatalf("ParseToken: %v, %v", parsed, err)
		}
	}
}

// base62 is an independent reading of the checksum: the CRC-32 as a number with
// the digits 0-9, A-Z, a-z.
func base62(t *testing.T, text string) uint64 {
	t.Helper()
	var n uint64
	for _, c := range text {
		digit := strings.IndexRune("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", c)
		if digit < 0 {
			t.Fatalf("%q is no digit", c)
		}
		n = n*62 + uint64(digit)
	}
	return n
}

// known are tokens that another program made: the checksum is zlib.crc32 in
// Python, in base 62.
var known = []string{
	"kdb_live_0123456789ABCDEFGHIJKLMNOPQRST1uoDjJ",
	"kdb_test_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz2r6qJI",
}

func TestKnownTokens(t *testing.T) {
	for _, text := range known {
		if _, err := keys.ParseToken(text); err != nil {
			t.Errorf("ParseToken(%q): %v", text, err)
		}
	}
}

func TestTokenChecksum(t *testing.T) {
	text := keys.NewToken(keys.Live).Reveal()
	body, sum := text[:len(text)-6], text[len(text)-6:]
	if got, want := base62(t, sum), uint64(crc32.ChecksumIEEE([]byte(body))); got != want {
		t.Errorf("checksum of %q is %d, want %d", body, got, want)
	}
}

// TestRandomCharactersAreEven counts each of the 62 characters: of 60,000 they
// come 968 times each, give or take 31 (one sigma).
func TestRandomCharactersAreEven(t *testing.T) {
	const tokens, perToken, sigmas = 2000, 30, 6
	count := map[rune]int{}
	for range tokens {
		for _, c := range keys.NewToken(keys.Live).Reveal()[9 : 9+perToken] {
			count[c]++
		}
	}
	if len(count) != 62 {
		t.Errorf("%d different characters, want 62", len(count))
	}
	for c, n := range count {
		if n < 968-sigmas*31 || n > 968+sigmas*31 {
			t.Errorf("%q came %d times, want about 968", c, n)
		}
	}
}

// TestMistypedTokens has every wrong character, swap and cut found.
func TestMistypedTokens(t *testing.T) {
	text := keys.NewToken(keys.Live).Reveal()
	bad := []string{"", "kdb_", "kdb_live_", text + "0", " " + text, text + "\n", strings.ToLower(text), strings.Repeat("0", len(text))}
	for i := range text {
		bad = append(bad, text[:i], text[:i]+text[i+1:])
		for _, c := range "09AZaz_é\x00" {
			bad = append(bad, text[:i]+string(c)+text[i+1:])
		}
		if i > 0 {
			bad = append(bad, text[:i-1]+text[i:i+1]+text[i-1:i]+text[i+1:])
		}
	}
	for _, b := range bad {
		if b == text {
			continue // the change was none
		}
		if _, err := keys.ParseToken(b); !errors.Is(err, keys.ErrMalformed) {
			t.Errorf("ParseToken(%q) = %v", b, err)
		} else if len(b) > 12 && strings.Contains(err.Error(), b[9:]) {
			t.Errorf("the error shows the text: %v", err)
		}
	}
}

func TestTokenNeverShows(t *testing.T) {
	token := keys.NewToken(keys.Test)
	text := token.Reveal()
	want := text[:13] + "…"
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X", "%t", "%c", "%U", "%T %v"} {
		args := []any{token}
		if verb == "%T %v" {
			args = []any{token, &token}
		}
		if got := fmt.Sprintf(verb, args...); strings.Contains(got, text[13:]) || !strings.Contains(got, want) {
			t.Errorf("%s prints %s", verb, got)
		}
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("m", "token", token, "in", struct{ T keys.Token }{token})
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "token", token, "in", []keys.Token{token})
	encoded, err := json.Marshal(map[string]any{"t": token, "p": &token})
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []string{log.String(), string(encoded), fmt.Sprint([]keys.Token{token}), fmt.Sprintf("%+v", struct{ T keys.Token }{token})} {
		if strings.Contains(got, text[13:]) || !strings.Contains(got, want) {
			t.Errorf("shows %s", got)
		}
	}
	if got := keys.Token.String(keys.Token{}); got != "no key" || (keys.Token{}).Kind() != "" {
		t.Errorf("the zero token is %q", got)
	}
}

// FuzzParseToken: what parses is a token whose text it was, and nothing panics.
func FuzzParseToken(f *testing.F) {
	f.Add("kdb_live_")
	for _, text := range known {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		token, err := keys.ParseToken(text)
		if err != nil {
			return
		}
		if token.Reveal() != text || base62(t, text[len(text)-6:]) != uint64(crc32.ChecksumIEEE([]byte(text[:len(text)-6]))) {
			t.Errorf("%q parses as %q", text, token.Reveal())
		}
	})
}
