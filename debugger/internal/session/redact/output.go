package redact

import (
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/mcp/secrets"
)

// outputContext is the number of bytes before and after what is shown that are searched
// with it, so that a secret is found of which a part is shown.
const outputContext = 4 << 10

// The lengths of a word that may be a part of a secret.
const (
	minWord = 4
	maxWord = 1 << 10
)

// Output returns a copy of text[from:to], a part of the output of a program, in which the
// bytes of secrets are overwritten, so that each byte keeps its place. If the beginning of
// the output is cut off, a word at the beginning of the text is overwritten, since it may
// be the end of a secret. If the program may go on, a word at the end is left out.
func Output(text []byte, from, to int, cut, open bool) []byte {
	if open {
		text = text[:len(text)-unfinished(text)]
	}
	to = max(from, min(to, len(text)))
	before, after := max(0, from-outputContext), min(len(text), to+outputContext)
	if after < from {
		return nil // all that is left is the beginning of a word
	}
	shown := slices.Clone(text[before:after])
	secrets.MaskBytes(shown, secrets.Data)
	if cut && before == 0 {
		for i := range firstWord(shown) {
			shown[i] = '*'
		}
	}
	return shown[from-before : to-before]
}

// unfinished returns the length of a word at the end of a text that may go on: one that
// ends in a letter, digit or sign of base64 and is long enough to be a part of a secret.
func unfinished(text []byte) int {
	n := 0
	for n < len(text) && n <= maxWord && text[len(text)-1-n] > ' ' {
		n++
	}
	if n < minWord || n > maxWord || !strings.ContainsRune(wordEnds, rune(text[len(text)-1])) {
		return 0
	}
	return n
}

const wordEnds = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"

// firstWord returns the length of the word at the beginning of a text.
func firstWord(text []byte) int {
	n := 0
	for n < min(len(text), maxWord) && text[n] > ' ' {
		n++
	}
	return n
}
