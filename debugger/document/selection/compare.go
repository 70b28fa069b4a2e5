package selection

import (
	"math"
	"strconv"
	"strings"

	"github.com/lestrrat-go/helium/xpath3"
)

// compare compares a value of the document, on the left, with the literal. XPath 1.0
// compares the order of numbers only.
func (l literal) compare(text string, strict1 bool) (bool, error) {
	equality := l.op == xpath3.TokenEquals || l.op == xpath3.TokenNotEquals
	if !l.numeric && (equality || !strict1) {
		return ordered(l.op, strings.Compare(text, l.text)), nil
	}
	value, err := toNumber(text, strict1)
	if err != nil {
		return false, err
	}
	other := l.number
	if !l.numeric {
		if other, err = toNumber(l.text, strict1); err != nil {
			return false, err
		}
	}
	return compareNumbers(l.op, value, other), nil
}

func compareNumbers(op xpath3.TokenType, a, b float64) bool {
	switch {
	case math.IsNaN(a) || math.IsNaN(b):
		return op == xpath3.TokenNotEquals
	case a < b:
		return ordered(op, -1)
	case a > b:
		return ordered(op, 1)
	}
	return ordered(op, 0)
}

// ordered reports whether a comparison holds for two values in an order.
func ordered(op xpath3.TokenType, order int) bool {
	switch op {
	case xpath3.TokenEquals:
		return order == 0
	case xpath3.TokenNotEquals:
		return order != 0
	case xpath3.TokenLess:
		return order < 0
	case xpath3.TokenLessEq:
		return order <= 0
	case xpath3.TokenGreater:
		return order > 0
	}
	return order >= 0
}

// toNumber returns the number that a text is. In XPath 1.0 a text that is none is NaN, in
// 3.1 it is an error. Forms that only one of them has need a tree.
func toNumber(text string, strict1 bool) (float64, error) {
	trimmed := strings.Trim(text, " \t\r\n")
	if plainNumber(trimmed) {
		return strconv.ParseFloat(trimmed, 64)
	}
	if strict1 && unlikeNumber(trimmed) {
		return math.NaN(), nil
	}
	return 0, ErrTree
}

// plainNumber reports whether a text is an optional minus, digits, and perhaps a point
// and digits.
func plainNumber(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	whole, fraction, point := strings.Cut(digits, ".")
	return allDigits(whole) && (!point || allDigits(fraction)) && len(text) < 300
}

func allDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// unlikeNumber reports whether a text is a number in no notation: it is empty, or begins
// with a letter that begins neither infinity nor NaN, or has a blank between.
func unlikeNumber(text string) bool {
	if text == "" {
		return true
	}
	c := text[0] | 0x20
	return c >= 'a' && c <= 'z' && c != 'i' && c != 'n'
}
