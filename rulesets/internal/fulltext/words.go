package fulltext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// maxWord is the length, in bytes, from which a run of letters is data, not a word.
const maxWord = 64

// stop are words that say nothing about a document.
var stop = set("a an and are as at be but by for from has have if in into is it its of on or such than that the their then there these they this to was were which will with you your")

func set(words string) map[string]struct{} {
	all := map[string]struct{}{}
	for word := range strings.FieldsSeq(words) {
		all[word] = struct{}{}
	}
	return all
}

// A Word is a word of a text in lower case, with its place. See [Stem].
type Word struct {
	Text     string
	From, To int // bytes
}

// Words calls see for each word of a text, in order, until see returns false. A word
// within an identifier comes after the identifier.
func Words(text string, see func(Word) bool) {
	for at := 0; at < len(text); {
		c, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case isIdeograph(c):
			end := runOf(text, at, isIdeograph)
			if !pairs(text, at, end, see) {
				return
			}
			at = end
		case isLetter(c):
			end := runOf(text, at, isLetter)
			if !identifier(text, at, end, see) {
				return
			}
			at = end
		default:
			at += size
		}
	}
}

func isLetter(c rune) bool {
	if c < utf8.RuneSelf {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	}
	return (unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.Is(unicode.Mn, c)) && !isIdeograph(c)
}

func isIdeograph(c rune) bool {
	return c >= 0x1100 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// runOf returns the end of the run of such characters that begins at a place.
func runOf(text string, at int, is func(rune) bool) int {
	for at < len(text) {
		c, size := utf8.DecodeRuneInString(text[at:])
		if !is(c) {
			break
		}
		at += size
	}
	return at
}

// pairs sees the pairs of neighbours of a run, or its only sign.
func pairs(text string, from, to int, see func(Word) bool) bool {
	_, size := utf8.DecodeRuneInString(text[from:])
	for next := from + size; ; {
		if next >= to {
			return from+size < to || see(Word{text[from:to], from, to})
		}
		_, width := utf8.DecodeRuneInString(text[next:])
		if !see(Word{text[from : next+width], from, next + width}) {
			return false
		}
		if next+width >= to {
			return true
		}
		from, next = next, next+width
	}
}

// identifier sees a run of letters, and its parts where it is written in camel case.
func identifier(text string, from, to int, see func(Word) bool) bool {
	if to-from > maxWord {
		return true
	}
	if !one(text, from, to, see) {
		return false
	}
	for at, part := from, from; ; {
		at = nextPart(text, at, to)
		if at >= to {
			return part == from || one(text, part, to, see)
		}
		if !one(text, part, at, see) {
			return false
		}
		part = at
	}
}

// nextPart returns where the part after the one at a place begins: at an upper-case
// letter after a lower-case one, or before the last capital of several.
func nextPart(text string, at, to int) int {
	isUpper := func(i int) bool { return i < to && text[i] >= 'A' && text[i] <= 'Z' }
	isLower := func(i int) bool { return i < to && text[i] >= 'a' && text[i] <= 'z' }
	for at++; at < to; at++ {
		if isUpper(at) && (isLower(at-1) || isUpper(at-1) && isLower(at+1)) {
			return at
		}
	}
	return to
}

func one(text string, from, to int, see func(Word) bool) bool {
	word := strings.ToLower(text[from:to])
	if _, is := stop[word]; is {
		return true
	}
	return see(Word{word, from, to})
}

// Stem returns the stem of a word in lower case. Numbers have none.
func Stem(word string) string {
	if len(word) <= 2 || word[0] >= '0' && word[0] <= '9' {
		return word
	}
	return english.Stem(word, true)
}
