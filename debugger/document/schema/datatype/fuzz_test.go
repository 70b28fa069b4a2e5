package datatype_test

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/document/schema/datatype"
)

var decimalForm = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$`)

// FuzzDecimal compares decimals with rational numbers.
func FuzzDecimal(f *testing.F) {
	for _, seed := range [][2]string{{"1", "1.0"}, {"-0", "+0."}, {"-1.50", "-1.5"}, {"10", "9"}, {"-10", "-9"}, {".1", ".09"}, {"0010", "10.01"}, {"1e1", "1"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if !compareForms(t, "decimal", a, b, decimalForm.MatchString) {
			return
		}
		x, _ := new(big.Rat).SetString(strings.TrimSuffix(a, "."))
		y, _ := new(big.Rat).SetString(strings.TrimSuffix(b, "."))
		compareOrders(t, "decimal", a, b, [2]bool{x.Cmp(y) <= 0, x.Cmp(y) >= 0}, x.Cmp(y) == 0)
		scaled := new(big.Rat).Mul(x, big.NewRat(1000, 1))
		if got := facetHolds(t, "decimal", "fractionDigits", "3", a); got != scaled.IsInt() {
			t.Errorf("%q has at most 3 fraction digits: %v", a, got)
		}
		// All digits, those after the point with the zeros between them and the point.
		all := new(big.Rat).Abs(x)
		places := 0
		for ; !all.IsInt(); places++ {
			all.Mul(all, big.NewRat(10, 1))
		}
		digits := all.Num().String()
		if got, want := facetHolds(t, "decimal", "totalDigits", "3", a), max(len(digits), places) <= 3; got != want {
			t.Errorf("%q has at most 3 digits: %v", a, got)
		}
	})
}

// compareForms checks that texts are valid exactly if they have a form. It reports whether
// both are.
func compareForms(t *testing.T, kind, a, b string, form func(string) bool) bool {
	t.Helper()
	both := true
	for _, text := range []string{a, b} {
		if len(text) > 100 || strings.ContainsAny(text, " \t\r\n") {
			return false
		}
		want := form(text)
		if err := datatype.Builtin(kind).Valid(text, nil); (err == nil) != want {
			t.Errorf("%s: %q: %v, want valid: %v", kind, text, err, want)
		}
		both = both && want
	}
	return both
}

// compareOrders checks whether a is at most, and at least, b, and equal to it.
func compareOrders(t *testing.T, kind, a, b string, want [2]bool, equal bool) {
	t.Helper()
	for i, facet := range []string{"maxInclusive", "minInclusive"} {
		if got := facetHolds(t, kind, facet, b, a); got != want[i] {
			t.Errorf("%s: %q has the %s %q: %v, want %v", kind, a, facet, b, got, want[i])
		}
	}
	if x, y := value(t, datatype.Builtin(kind), a), value(t, datatype.Builtin(kind), b); x.Equal(y) != equal {
		t.Errorf("%s: %q and %q are equal: %v, want %v", kind, a, b, !equal, equal)
	}
}

func facetHolds(t *testing.T, kind, facet, bound, text string) bool {
	t.Helper()
	restricted, problems := datatype.NewRestriction(datatype.Name{}, datatype.Builtin(kind), []datatype.Facet{{Name: facet, Value: bound}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return restricted.Valid(text, nil) == nil
}

var dateTimeForm = regexp.MustCompile(`^([0-9]{4}-[0-9]{2}-[0-9]{2}T)([0-9]{2})(:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?)(Z|[+-]([0-9]{2}):([0-9]{2}))?$`)

// parseTime returns the time of a dateTime with a year of four digits and nanoseconds.
func parseTime(text string) (at time.Time, zoned, ok bool) {
	m := dateTimeForm.FindStringSubmatch(text)
	if m == nil || strings.HasPrefix(text, "0000") {
		return at, false, false
	}
	hour, days, zone := m[2], 0, m[4]
	if hour == "24" && strings.Trim(m[3], ":0.") == "" {
		hour, days = "00", 1
	}
	if zone == "" {
		zone = "Z"
	} else if zone != "Z" {
		hours, _ := strconv.Atoi(m[5])
		if hours > 14 || hours == 14 && m[6] != "00" {
			return at, false, false
		}
	}
	at, err := time.Parse("2006-01-02T15:04:05Z07:00", m[1]+hour+m[3]+zone)
	return at.AddDate(0, 0, days), m[4] != "", err == nil
}

// FuzzDateTime compares moments with those of package time.
func FuzzDateTime(f *testing.F) {
	for _, seed := range [][2]string{
		{"2000-02-29T12:00:00Z", "2000-02-29T13:00:00+01:00"}, {"1999-12-31T24:00:00", "2000-01-01T00:00:00"}, {"2000-01-01T00:00:00Z", "1999-12-31T10:00:00"},
		{"2000-01-01T00:00:00.5Z", "2000-01-01T00:00:00.49Z"}, {"1900-02-29T00:00:00", "1900-02-28T00:00:00"}, {"0001-01-01T00:00:00-14:00", "9999-12-31T23:59:59+14:00"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		known := func(text string) bool { _, _, ok := parseTime(text); return ok }
		for _, text := range []string{a, b} { // years and fractions that package time does not have
			if !dateTimeForm.MatchString(text) {
				return
			}
		}
		if !compareForms(t, "dateTime", a, b, known) {
			return
		}
		x, zonedX, _ := parseTime(a)
		y, zonedY, _ := parseTime(b)
		before, after := !x.After(y), !x.Before(y)
		const most = 14 * time.Hour
		if zonedX != zonedY {
			before, after = x.Before(y.Add(-most)), x.After(y.Add(most))
		}
		compareOrders(t, "dateTime", a, b, [2]bool{before, after}, zonedX == zonedY && x.Equal(y))
	})
}

// FuzzDuration compares durations with dates that they are added to.
func FuzzDuration(f *testing.F) {
	for _, seed := range [][]uint16{{1, 0, 0, 0, 365, 0}, {0, 1, 0, 0, 30, 0}, {0, 0, 1, 0, 0, 24}, {2, 1, 3, 2, 1, 3}, {0, 5, 0, 0, 153, 0}, {400, 0, 0, 0, 0, 0}} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4], seed[5], false, true)
	}
	f.Fuzz(func(t *testing.T, years, months, hours, years2, days2, hours2 uint16, negative, negative2 bool) {
		a, b := span{int(years % 500), int(months % 99), 0, int(hours % 999), negative}, span{int(years2 % 500), 0, int(days2 % 999), int(hours2 % 999), negative2}
		before, after := true, true
		for _, start := range []time.Time{day(1696, 9), day(1697, 2), day(1903, 3), day(1903, 7)} {
			x, y := a.after(start), b.after(start)
			before, after = before && !x.After(y), after && !x.Before(y)
		}
		equal := a.months() == b.months() && a.hours() == b.hours()
		if before && after && !equal { // as 400 years and their days are
			return
		}
		// A bound includes what is equal, but not what is at most equal for some dates.
		compareStrict := func(holds bool, strict func(x, y time.Time) bool) bool {
			for _, start := range []time.Time{day(1696, 9), day(1697, 2), day(1903, 3), day(1903, 7)} {
				holds = holds && (equal || strict(a.after(start), b.after(start)))
			}
			return holds
		}
		before, after = compareStrict(before, time.Time.Before), compareStrict(after, time.Time.After)
		compareOrders(t, "duration", a.String(), b.String(), [2]bool{before, after}, equal)
	})
}

func day(year int, month time.Month) time.Time {
	return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
}

// A span is a duration.
type span struct {
	y, m, d, h int
	negative   bool
}

func (s span) sign() int {
	if s.negative {
		return -1
	}
	return 1
}

func (s span) months() int { return s.sign() * (12*s.y + s.m) }
func (s span) hours() int  { return s.sign() * (24*s.d + s.h) }

func (s span) after(start time.Time) time.Time {
	return start.AddDate(0, s.months(), 0).Add(time.Duration(s.hours()) * time.Hour)
}

func (s span) String() string {
	text := "P" + strconv.Itoa(s.y) + "Y" + strconv.Itoa(s.m) + "M" + strconv.Itoa(s.d) + "DT" + strconv.Itoa(s.h) + "H"
	if s.negative {
		return "-" + text
	}
	return text
}
