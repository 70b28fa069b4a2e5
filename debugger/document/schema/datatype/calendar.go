package datatype

// Days of the months in years that are no leap years, and before them.
var (
	monthDays  = [13]int{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	daysBefore = [13]int64{0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334}
)

const secondsPerDay = 24 * 60 * 60

// isLeap reports whether a year is a leap year. Its argument may be the year modulo 400.
func isLeap(year int64) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

// daysIn returns the number of days of a month (part 2, appendix E,
// maximumDayInMonthFor).
func daysIn(leap bool, month int) int {
	if month == 2 && leap {
		return 29
	}
	return monthDays[month]
}

// seconds returns the seconds from the start of the year 1 to that of a day.
func seconds(year integer, month, day int) integer {
	eras, y := year.plus(integer{small: -1}).over(400)
	days := y*365 + y/4 - y/100 + daysBefore[month] + int64(day) - 1
	if month > 2 && isLeap(y+1) {
		days++
	}
	const daysPerEra = 400*365 + 97
	return eras.times(daysPerEra * 5).times(secondsPerDay / 5).plus(integer{small: days * secondsPerDay})
}
