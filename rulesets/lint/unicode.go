package lint

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The blocks of characters that are not seen.
const (
	tagFirst, tagLast     = 0xE0000, 0xE007F
	selector1, selector16 = 0xFE00, 0xFE0F
	selector17, selector  = 0xE0100, 0xE01EF
	blackFlag             = 0x1F3F4
	cancelTag             = 0xE007F
)

// flags are the regions whose flags are written with tags.
var flags = []string{"gbeng", "gbsct", "gbwls"}

// hiddenNames are the characters without a shape, apart from tags and selectors.
var hiddenNames = map[rune]string{
	0x00AD: "soft hyphen", 0x034F: "combining grapheme joiner", 0x061C: "Arabic letter mark", 0x115F: "Hangul filler", 0x1160: "Hangul filler",
	0x17B4: "Khmer vowel inherent", 0x17B5: "Khmer vowel inherent", 0x180E: "Mongolian vowel separator",
	0x200B: "zero width space", 0x200C: "zero width non-joiner", 0x200D: "zero width joiner", 0x200E: "left-to-right mark", 0x200F: "right-to-left mark",
	0x202A: "left-to-right embedding", 0x202B: "right-to-left embedding", 0x202C: "pop directional formatting", 0x202D: "left-to-right override", 0x202E: "right-to-left override",
	0x2060: "word joiner", 0x2061: "function application", 0x2062: "invisible times", 0x2063: "invisible separator", 0x2064: "invisible plus",
	0x2066: "left-to-right isolate", 0x2067: "right-to-left isolate", 0x2068: "first strong isolate", 0x2069: "pop directional isolate",
	0x206A: "inhibit symmetric swapping", 0x206B: "activate symmetric swapping", 0x206C: "inhibit Arabic form shaping", 0x206D: "activate Arabic form shaping", 0x206E: "national digit shapes", 0x206F: "nominal digit shapes",
	0x3164: "Hangul filler", 0xFEFF: "zero width no-break space", 0xFFA0: "halfwidth Hangul filler", 0xFFF9: "interlinear annotation anchor", 0xFFFA: "interlinear annotation separator", 0xFFFB: "interlinear annotation terminator",
}

func isTag(c rune) bool { return c >= tagFirst && c <= tagLast }
func isSelector(c rune) bool {
	return c >= selector1 && c <= selector16 || c >= selector17 && c <= selector
}

// isEmoji reports whether a character may be drawn as a picture: emoji, symbols that
// have such a form, and the parts of sequences.
func isEmoji(c rune) bool {
	switch {
	case c >= 0x1F000 && c <= 0x1FAFF, c >= 0x2190 && c <= 0x2BFF, c >= '0' && c <= '9':
		return true
	}
	switch c {
	case '#', '*', 0xA9, 0xAE, 0x203C, 0x2049, 0x20E3, 0x2122, 0x2139, 0x3030, 0x303D, 0x3297, 0x3299:
		return true
	}
	return false
}

// joins reports whether a script needs joiners between its letters.
func joins(c rune) bool {
	return unicode.In(c, unicode.Arabic, unicode.Syriac, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya,
		unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Mongolian, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// maxSpelled is the number of characters of a hidden text that a message shows.
const maxSpelled = 1000

// checkHidden reports runs of characters that people do not see.
func checkHidden(t text) {
	var before rune // the last visible character
	for at := 0; at < len(t.s); {
		c, size := utf8.DecodeRuneInString(t.s[at:])
		if !isTag(c) && !isSelector(c) && hiddenNames[c] == "" {
			before, at = c, at+size
			continue
		}
		run := hiddenRun(t.s[at:])
		after, _ := utf8.DecodeRuneInString(t.s[at+len(run):])
		if message := describeHidden(run, before, after, at == 0); message != "" {
			t.report("hidden-unicode", Error, at, "%s", message)
		}
		at += len(run)
	}
}

// hiddenRun returns the hidden characters at the beginning.
func hiddenRun(s string) string {
	end := strings.IndexFunc(s, func(c rune) bool { return !isTag(c) && !isSelector(c) && hiddenNames[c] == "" })
	if end < 0 {
		return s
	}
	return s[:end]
}

// describeHidden says what a run is, "" if it has a use at its place.
func describeHidden(run string, before, after rune, first bool) string {
	runes := []rune(run)
	switch {
	case first && run == "\ufeff": // a byte order mark
		return ""
	case isFlag(runes, before), usedBy(runes, before, after):
		return ""
	}
	counts, order := map[string]int{}, []string{}
	var tags, selectors []byte
	for _, c := range runes {
		kind := hiddenNames[c]
		switch {
		case isTag(c):
			kind = "tag"
			tags = append(tags, byte(c-tagFirst))
		case isSelector(c):
			kind = "variation selector"
			selectors = append(selectors, selectorByte(c))
		}
		if counts[kind]++; counts[kind] == 1 {
			order = append(order, kind)
		}
	}
	for i, kind := range order {
		order[i] = fmt.Sprintf("%d × %s", counts[kind], kind)
	}
	message := "hidden characters: " + strings.Join(order, ", ")
	if len(tags) > 0 {
		message += "; the tags spell " + strconv.Quote(shortenTo(maxSpelled, string(tags)))
	}
	if len(selectors) > 1 {
		message += "; the selectors spell " + strconv.QuoteToASCII(shortenTo(maxSpelled, string(selectors)))
	}
	return message
}

// selectorByte returns the byte that a variation selector can smuggle.
func selectorByte(c rune) byte {
	if c <= selector16 {
		return byte(c - selector1)
	}
	return byte(c - selector17 + 16)
}

// isFlag reports whether tags after a black flag make one of the flags.
func isFlag(run []rune, before rune) bool {
	if before != blackFlag || len(run) < 2 || run[len(run)-1] != cancelTag {
		return false
	}
	region := ""
	for _, c := range run[:len(run)-1] {
		if !isTag(c) {
			return false
		}
		region += string(c - tagFirst)
	}
	for _, flag := range flags {
		if region == flag {
			return true
		}
	}
	return false
}

// usedBy reports whether a run has a use between its neighbours: it selects the form of
// an emoji or an ideograph, joins emoji, or joins letters.
func usedBy(run []rune, before, after rune) bool {
	if len(run) > 0 && isSelector(run[0]) {
		isVariant := run[0] <= selector16 && (isEmoji(before) || unicode.In(before, unicode.Mongolian, unicode.Myanmar)) || unicode.Is(unicode.Han, before)
		if !isVariant {
			return false
		}
		run = run[1:]
	}
	switch {
	case len(run) == 0:
		return true
	case len(run) > 1:
		return false
	case run[0] == 0x200D && isEmoji(before) && isEmoji(after):
		return true
	case run[0] == 0x200C || run[0] == 0x200D:
		return joins(before) && (joins(after) || run[0] == 0x200D)
	case run[0] == 0x200E || run[0] == 0x200F || run[0] == 0x061C: // marks beside a text from right to left
		return unicode.In(before, unicode.Arabic, unicode.Hebrew) || unicode.In(after, unicode.Arabic, unicode.Hebrew)
	}
	return false
}
