package keys

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"strings"
)

// A Kind says what a token is for. It separates the keys of production from those of trials,
// and keys from the tokens of a [Grant].
type Kind string

// The kinds. A key is Live or Test.
const (
	Live Kind = "live"
	Test Kind = "test"
	// Access is the kind of access tokens of a grant.
	Access Kind = "lent"
	// Family is the kind of the part that codes and refresh tokens of a grant begin with.
	Family Kind = "next"
	// Invitation is the kind of the secret of a link that shows a key once.
	Invitation Kind = "join"
)

// kinds lists the kinds. Their names have the same length.
var kinds = [...]Kind{Live, Test, Access, Family, Invitation}

// The text of a token: kdb_live_ or kdb_test_, random characters, a checksum. The fixed
// beginning lets secret scanners find tokens that were published.
const (
	alphabet  = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	marker    = "kdb_"
	kindLen   = len(marker) + len("live_")
	randomLen = 30 // of 62 characters: 178 bits
	sumLen    = 6  // of 62 characters: room for 32 bits
	tokenLen  = kindLen + randomLen + sumLen
	shownLen  = kindLen + 4
)

// isInAlphabet holds the characters that tokens are made of.
var isInAlphabet = func() (is [256]bool) {
	for _, c := range []byte(alphabet) {
		is[c] = true
	}
	return is
}()

// ErrMalformed is returned for a text that cannot be a token: of another form,
// mistyped or cut off.
var ErrMalformed = errors.New("this is no key: mistyped, cut off, or not one of ours")

// A Token is a secret. However it is printed, logged or encoded, only its
// beginning shows; [Token.Reveal] alone gives it away. The zero value is no
// token and is never found.
type Token struct{ text string }

// NewToken makes a token out of 178 random bits: it cannot be guessed, and no two are equal.
func NewToken(kind Kind) Token {
	body := marker + string(kind) + "_" + randomText(alphabet, randomLen)
	sum := checksum(body)
	return Token{body + string(sum[:])}
}

// ParseToken parses a token, or returns [ErrMalformed]. The checksum finds mistakes before the
// token is looked up; it is no protection. Whether a key has the token is for [Ring.Find] to
// say.
func ParseToken(text string) (Token, error) {
	if len(text) != tokenLen || !hasKind(text) {
		return Token{}, ErrMalformed
	}
	body := text[:tokenLen-sumLen]
	if sum := checksum(body); string(sum[:]) != text[tokenLen-sumLen:] {
		return Token{}, ErrMalformed
	}
	for i := kindLen; i < len(body); i++ {
		if !isInAlphabet[body[i]] {
			return Token{}, ErrMalformed
		}
	}
	return Token{text}, nil
}

// hasKind reports whether a text begins like a token of some kind.
func hasKind(text string) bool {
	for _, kind := range kinds {
		if strings.HasPrefix(text, marker) && text[kindLen-1] == '_' && text[len(marker):kindLen-1] == string(kind) {
			return true
		}
	}
	return false
}

// checksum returns the CRC-32 (IEEE) of a text in base 62, highest digit first. The function
// of hash/crc32 would have the text copied to the heap.
func checksum(text string) (digits [sumLen]byte) {
	sum := ^uint32(0)
	for i := range len(text) {
		sum = crc32.IEEETable[byte(sum)^text[i]] ^ sum>>8
	}
	sum = ^sum
	for i := range digits {
		digits[sumLen-1-i] = alphabet[sum%uint32(len(alphabet))]
		sum /= uint32(len(alphabet))
	}
	return digits
}

// randomText returns n characters of an alphabet of at most 256, each as likely as any other:
// bytes beyond the last whole multiple are thrown away.
func randomText(alphabet string, n int) string {
	text := make([]byte, 0, n)
	fair := 256 - 256%len(alphabet)
	for buf := make([]byte, 64); len(text) < n; {
		_, _ = rand.Read(buf) // never fails, see crypto/rand
		for _, b := range buf {
			if int(b) < fair && len(text) < n {
				text = append(text, alphabet[int(b)%len(alphabet)])
			}
		}
	}
	return string(text)
}

// Reveal returns the secret text. Call it only to show a new token to its owner, or to send
// it: what it returns is printed like any text.
func (t Token) Reveal() string { return t.text }

// IsKey reports whether tokens of the kind are keys.
func (k Kind) IsKey() bool { return k == Live || k == Test }

// Kind returns the kind that the token's text states; "" for the zero value.
func (t Token) Kind() Kind {
	if t.text == "" {
		return ""
	}
	return Kind(t.text[len(marker) : kindLen-1])
}

// String returns the beginning of the token, which is no secret: the kind and 4 of the 30
// random characters.
func (t Token) String() string {
	if t.text == "" {
		return "no key"
	}
	return t.text[:shownLen] + "…"
}

// Format implements [fmt.Formatter]: every verb prints String.
func (t Token) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, t.String()) // fmt keeps the error
}

// GoString implements [fmt.GoStringer].
func (t Token) GoString() string { return t.String() }

// LogValue implements [slog.LogValuer].
func (t Token) LogValue() slog.Value { return slog.StringValue(t.String()) }

// MarshalText implements [encoding.TextMarshaler], for JSON and others. There is no way back:
// a token cannot be unmarshaled.
func (t Token) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Hash returns the stored form of a token. A token is 178 random bits, not a
// password that can be guessed, so a fast hash is as good as a slow one here.
func (t Token) Hash() Hash {
	var text [tokenLen]byte // not on the heap
	return sha256.Sum256(text[:copy(text[:], t.text)])
}
