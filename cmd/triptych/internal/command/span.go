package command

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseSpan reads a span of time as Go writes it, or in whole days: 90d.
func ParseSpan(text string) (time.Duration, error) {
	days, ok := strings.CutSuffix(text, "d")
	if !ok {
		return time.ParseDuration(text)
	}
	n, err := strconv.ParseInt(days, 10, 64)
	if err != nil || n < 0 || n > int64(math.MaxInt64/day) {
		return 0, fmt.Errorf("%q is no number of days", text)
	}
	return time.Duration(n) * day, nil
}

// day is the unit that time.ParseDuration lacks.
const day = 24 * time.Hour
