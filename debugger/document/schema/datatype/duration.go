package datatype

import "strings"

// A duration is a length of time (part 2, section 3.2.6): a number of months and a number
// of seconds, both with the sign of the duration.
type duration struct {
	months, seconds integer
	fraction        string // digits of the seconds after the point, without zeros at the end
	negative        bool   // never if all is zero
}

// parts are the parts of a duration in the order of their letters.
type parts struct {
	negative bool
	digits   [6]string // of years, months, days, hours, minutes and seconds
	fraction string
}

const durationLetters = "YMDHMS"

// parseParts returns the parts of a text with the form of a duration.
func parseParts(text string) (p parts, ok bool) {
	text, p.negative = strings.CutPrefix(text, "-")
	text, ok = strings.CutPrefix(text, "P")
	if !ok || text == "" {
		return p, false
	}
	next, timed := 0, false
	for text != "" {
		if text[0] == 'T' && !timed {
			timed, next, text = true, 3, text[1:]
		}
		n := digits(text)
		if n == 0 || n == len(text) || n > maxDigits {
			return p, false
		}
		number := text[:n]
		if text[n] == '.' {
			if p.fraction, text, ok = fractionOfSeconds(text[n+1:]); !ok || !timed {
				return p, false
			}
			n = 0
		}
		last := 3
		if timed {
			last = 6
		}
		at := strings.IndexByte(durationLetters[next:last], text[n])
		if at < 0 {
			return p, false
		}
		next += at + 1
		p.digits[next-1], text = number, text[n+1:]
	}
	return p, true
}

// fractionOfSeconds reads digits that end with the letter of seconds, which stays in rest.
func fractionOfSeconds(text string) (fraction, rest string, ok bool) {
	n := digits(text)
	if n == 0 || text[n:] != "S" {
		return "", text, false
	}
	return strings.TrimRight(text[:n], "0"), text[n:], true
}

func (p *parts) duration() duration {
	number := func(i int) integer { return parseInteger(p.digits[i]) }
	d := duration{fraction: p.fraction, negative: p.negative}
	d.months = number(0).times(12).plus(number(1))
	d.seconds = number(2).times(24).plus(number(3)).times(60).plus(number(4)).times(60).plus(number(5))
	if zero := (integer{}); d.months.compare(zero) == 0 && d.seconds.compare(zero) == 0 && d.fraction == "" {
		d.negative = false
	}
	if d.negative {
		d.months, d.seconds = d.months.negated(), d.seconds.negated()
	}
	return d
}

// references are the years and months whose starts durations are added to to compare them
// (part 2, section 3.2.6.2).
var references = [4][2]int64{{1696, 9}, {1697, 2}, {1903, 3}, {1903, 7}}

// compare orders durations: one is less if it is with all references. P400Y and P146097D,
// different values, compare as equal: 400 years have as many days from any start.
func (d duration) compare(e duration) order {
	result := d.after(references[0]).compare(e.after(references[0]))
	for _, r := range references[1:] {
		if d.after(r).compare(e.after(r)) != result {
			return incomparable
		}
	}
	return result
}

// after returns the moment that is a duration after the start of a month.
func (d duration) after(reference [2]int64) moment {
	year, month := d.months.plus(integer{small: reference[0]*12 + reference[1] - 1}).over(12)
	m := moment{seconds: seconds(year, int(month)+1, 1).plus(d.seconds), fraction: d.fraction}
	if d.negative && d.fraction != "" {
		m.seconds = m.seconds.plus(integer{small: -1})
		m.fraction = complement(d.fraction)
	}
	return m
}

// complement returns the digits after the point of 1 - 0.fraction. The last digit is not
// zero.
func complement(fraction string) string {
	made := []byte(fraction)
	for i := range made {
		made[i] = '9' - made[i] + '0'
	}
	made[len(made)-1]++
	return string(made)
}

func (d duration) append(to []byte) []byte {
	if d.negative {
		to = append(to, '-')
	}
	to = d.months.append(to)
	to = append(to, 'M')
	to = d.seconds.append(to)
	to = append(to, '.')
	return append(to, d.fraction...)
}
