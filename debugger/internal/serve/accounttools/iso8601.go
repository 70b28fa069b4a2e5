package accounttools

import (
	"fmt"
	"time"
)

// A span is the time that a timestamp means: a moment or a whole day.
type span struct{ from, to time.Time }

// isoLayouts are the accepted forms of ISO 8601. A time without an offset is
// in UTC.
var isoLayouts = []struct {
	layout string
	width  time.Duration // 0 for a moment
}{
	{time.RFC3339, 0}, // with or without a fraction
	{"2006-01-02T15:04:05Z0700", 0},
	{"2006-01-02T15:04:05Z07", 0},
	{"2006-01-02T15:04Z07:00", 0},
	{"2006-01-02T15:04:05", 0},
	{"2006-01-02T15:04", 0},
	{"2006-01-02 15:04:05", 0},
	{"20060102T150405Z0700", 0},
	{"20060102T150405", 0},
	{time.DateOnly, 24 * time.Hour},
	{"20060102", 24 * time.Hour},
}

// parseTime parses the argument arg. The span of an absent one is zero.
func parseTime(arg string, text *string) (span, error) {
	if text == nil || *text == "" {
		return span{}, nil
	}
	for _, l := range isoLayouts {
		at, err := time.Parse(l.layout, *text)
		if err == nil && at.Year() > 0 {
			return span{at.UTC(), at.UTC().Add(l.width)}, nil
		}
	}
	return span{}, fmt.Errorf("%s must be an ISO 8601 timestamp such as 2024-12-05T00:00:00Z", arg)
}
