package datatype

import (
	"cmp"
	"strings"
)

// A decimal is a decimal number: its digits before and after the point, without zeros at
// the outer ends. They are parts of the text that it was read from.
type decimal struct {
	negative        bool // never of zero
	whole, fraction string
}

// parseDecimal returns the number that all of text is, by section 3.2.3.1 of part 2.
func parseDecimal(text string) (d decimal, point, ok bool) {
	sign := text != "" && (text[0] == '-' || text[0] == '+')
	d.negative = sign && text[0] == '-'
	if sign {
		text = text[1:]
	}
	n := digits(text)
	d.whole, text = text[:n], text[n:]
	if text != "" && text[0] == '.' {
		point, d.fraction = true, text[1:]
		if m := digits(d.fraction); m < len(d.fraction) || n+m == 0 {
			return d, point, false
		}
	} else if n == 0 || text != "" {
		return d, point, false
	}
	d.whole = strings.TrimLeft(d.whole, "0")
	if point {
		d.fraction = strings.TrimRight(d.fraction, "0")
	}
	if d.whole == "" && d.fraction == "" {
		d.negative = false
	}
	return d, point, true
}

// digits returns the number of digits at the start of text.
func digits(text string) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

// compare returns -1, 0 or 1 if d is less than, equal to or greater than e.
func (d decimal) compare(e decimal) int {
	if d.negative != e.negative {
		if d.negative {
			return -1
		}
		return 1
	}
	c := cmp.Or(cmp.Compare(len(d.whole), len(e.whole)), strings.Compare(d.whole, e.whole), strings.Compare(d.fraction, e.fraction))
	if d.negative {
		return -c
	}
	return c
}

func (d decimal) append(to []byte) []byte {
	if d.negative {
		to = append(to, '-')
	}
	to = append(to, d.whole...)
	to = append(to, '.')
	return append(to, d.fraction...)
}
