package pattern

import (
	"strings"
	"sync"
	"unicode"

	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
)

// singleEscapes are the escapes of one character.
var singleEscapes = func() map[rune]rune {
	all := map[rune]rune{'n': '\n', 'r': '\r', 't': '\t'}
	for _, r := range `\|.?*+(){}-[]^` {
		all[r] = r
	}
	return all
}()

// multiEscapes are the escapes of many characters, by their lower-case letter. The
// upper-case letters stand for the complements.
var multiEscapes = map[rune]func() set{
	's': func() set { return newSet([]runeRange{{'\t', '\n'}, {'\r', '\r'}, {' ', ' '}}) },
	'i': sync.OnceValue(func() set {
		return ofPredicate(func(r rune) bool { return event.IsNameStart(r) })
	}),
	'c': sync.OnceValue(func() set { return ofPredicate(event.IsNameChar) }),
	'd': sync.OnceValue(func() set { return ofTables(unicode.Nd) }),
	'w': sync.OnceValue(func() set {
		return category("P").union(category("Z")).union(category("C")).complement()
	}),
}

// wildcard holds the characters that the full stop stands for.
var wildcard = newSet([]runeRange{{'\n', '\n'}, {'\r', '\r'}}).complement()

// categories are the names of Unicode's categories that the recommendation lists, but
// those of class C, which has no surrogates.
const categories = " L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po Z Zs Zl Zp S Sm Sc Sk So Cc Cf Co "

// category returns the characters of a category, nil if there is none of this name.
func category(name string) set {
	switch {
	case name == "C":
		return ofTables(unicode.Cc, unicode.Cf, unicode.Co).union(category("Cn"))
	case name == "Cn":
		return ofTables(unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z).complement()
	case strings.Contains(categories, " "+name+" "):
		return ofTables(unicode.Categories[name])
	}
	return nil
}

// property returns the characters with a property: a category, or a block after Is. It
// returns nil if there is none of this name.
func property(name string) set {
	if block, ok := strings.CutPrefix(name, "Is"); ok {
		return blocks()[block]
	}
	if name == "" || strings.Contains(name, " ") {
		return nil
	}
	if s := category(name); s != nil {
		return s.minus(excluded)
	}
	return nil
}

// excluded are characters that \p{…} does not have, though they are in categories: the
// W3C's test suite takes them to be unassigned, as they were when the recommendation was
// written. Others beyond the first plane, such as ideographs, are in their categories.
var excluded = newSet([]runeRange{
	{0x10320, 0x10323},  // Old Italic numbers
	{0x1034A, 0x1034A},  // a Gothic number
	{0x1D000, 0x1D1FF},  // musical symbols
	{0x1D400, 0x1D7FF},  // mathematical letters and digits
	{0x2F800, 0x2FA1F},  // compatibility ideographs
	{0xE0000, 0xE007F},  // tags
	{0xF0000, 0x10FFFF}, // supplementary private use
})
