package datatype

import (
	"cmp"
	"strings"
)

// fields are the parts of a value of dateTime or a type like it (part 2, sections 3.2.7
// to 3.2.14). What a type does not have is as in the leap year 2000 at its start.
type fields struct {
	negative     bool
	year         string // digits
	month, day   int
	hour, minute int
	second       int
	fraction     string // digits of the seconds after the point, without zeros at the end
	zone         int    // minutes from UTC
	zoned        bool   // there is a zone
}

// forms are the parts of the types: y year, m month, d day, t time, in their lexical
// forms without the zone.
var forms = map[kind]string{
	dateTimeKind: "y-m-dTt", timeKind: "t", dateKind: "y-m-d", gYearMonthKind: "y-m", gYearKind: "y",
	gMonthDayKind: "--m-d", gDayKind: "---d", gMonthKind: "--m",
}

// parseFields returns the parts of a text that has the lexical form of a type.
func parseFields(form, text string) (f fields, ok bool) {
	f = fields{year: "2000", month: 1, day: 1}
	for i := range len(form) {
		switch form[i] {
		case 'y':
			text, ok = f.parseYear(text)
		case 'm':
			f.month, text, ok = two(text, 1, 12)
		case 'd':
			f.day, text, ok = two(text, 1, 31)
		case 't':
			text, ok = f.parseTime(text)
		default:
			ok = text != "" && text[0] == form[i]
			text = text[min(len(text), 1):]
		}
		if !ok {
			return f, false
		}
	}
	return f, f.parseZone(text) && f.day <= daysIn(f.leap(), f.month)
}

// two reads two digits whose value has bounds.
func two(text string, least, most int) (n int, rest string, ok bool) {
	if digits(text[:min(2, len(text))]) < 2 {
		return 0, text, false
	}
	n = int(text[0]-'0')*10 + int(text[1]-'0')
	return n, text[2:], n >= least && n <= most
}

// parseYear reads a year: at least four digits, more only without zeros at the start, and
// not the year 0000.
func (f *fields) parseYear(text string) (rest string, ok bool) {
	f.negative = text != "" && text[0] == '-'
	if f.negative {
		text = text[1:]
	}
	n := digits(text)
	f.year = text[:n]
	return text[n:], n >= 4 && n <= maxDigits && (n == 4 || f.year[0] != '0') && f.year != "0000"
}

func (f *fields) parseTime(text string) (rest string, ok bool) {
	var ok1, ok2, ok3 bool
	f.hour, text, ok1 = two(text, 0, 24)
	text, colon1 := strings.CutPrefix(text, ":")
	f.minute, text, ok2 = two(text, 0, 59)
	text, colon2 := strings.CutPrefix(text, ":")
	f.second, text, ok3 = two(text, 0, 59)
	if !ok1 || !ok2 || !ok3 || !colon1 || !colon2 {
		return text, false
	}
	if rest, point := strings.CutPrefix(text, "."); point {
		n := digits(rest)
		if n == 0 {
			return rest, false
		}
		f.fraction, text = strings.TrimRight(rest[:n], "0"), rest[n:]
	}
	return text, f.hour < 24 || f.minute == 0 && f.second == 0 && f.fraction == ""
}

// parseZone reads the zone that a text may consist of.
func (f *fields) parseZone(text string) bool {
	if text == "" {
		return true
	}
	f.zoned = true
	if text == "Z" {
		return true
	}
	if len(text) != len("+00:00") || text[0] != '+' && text[0] != '-' || text[3] != ':' {
		return false
	}
	hours, _, ok1 := two(text[1:], 0, 14)
	minutes, _, ok2 := two(text[4:], 0, 59)
	if f.zone = hours*60 + minutes; text[0] == '-' {
		f.zone = -f.zone
	}
	return ok1 && ok2 && (hours < 14 || minutes == 0)
}

// leap reports whether the year is a leap year. The last four digits decide.
func (f *fields) leap() bool {
	year := int64(0)
	for _, d := range []byte(f.year[len(f.year)-4:]) {
		year = year*10 + int64(d-'0')
	}
	return isLeap(year)
}

// A moment is a point on the time line.
type moment struct {
	seconds  integer // since the year 1, in UTC if it has a zone
	fraction string
	zoned    bool
}

func (f *fields) moment(k kind) moment {
	year := parseInteger(f.year)
	if f.negative {
		year = year.negated()
	}
	hour := f.hour
	if k == timeKind {
		hour %= 24 // the end of a day is its start
	}
	m := moment{seconds(year, f.month, f.day), f.fraction, f.zoned}
	m.seconds = m.seconds.plus(integer{small: int64((hour*60+f.minute-f.zone)*60 + f.second)})
	return m
}

// maxZone is the largest distance of a zone from UTC.
const maxZone = 14 * 60 * 60

// compare orders moments (part 2, section 3.2.7.4). A moment without a zone may be in
// any.
func (m moment) compare(n moment) order {
	if m.zoned == n.zoned {
		return orderOf(m.compareWith(n, 0))
	}
	if !m.zoned {
		return n.compare(m).reversed()
	}
	switch {
	case m.compareWith(n, -maxZone) < 0:
		return less
	case m.compareWith(n, maxZone) > 0:
		return greater
	}
	return incomparable
}

// compareWith compares m with n some seconds later.
func (m moment) compareWith(n moment, later int64) int {
	return cmp.Or(m.seconds.compare(n.seconds.plus(integer{small: later})), strings.Compare(m.fraction, n.fraction))
}

func (m moment) append(to []byte) []byte {
	if m.zoned {
		to = append(to, 'Z')
	}
	to = m.seconds.append(to)
	to = append(to, '.')
	return append(to, m.fraction...)
}
