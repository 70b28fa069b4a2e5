package site

import (
	"regexp"
	"strconv"
)

// starred matches the label of a day in the calendar. Days without stars have a
// label without them.
var starred = regexp.MustCompile(`aria-label="Day (\d+)(?:, (one star|two stars))?"`)

// parseCalendar returns the stars by day. Days that are not open are missing.
func parseCalendar(page []byte) map[int]int {
	stars := map[int]int{}
	for _, m := range starred.FindAllSubmatch(page, -1) {
		day, err := strconv.Atoi(string(m[1]))
		if err != nil || day < 1 || day > 25 {
			continue
		}
		switch string(m[2]) {
		case "one star":
			stars[day] = 1
		case "two stars":
			stars[day] = 2
		default:
			stars[day] = 0
		}
	}
	return stars
}
