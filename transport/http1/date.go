package http1

import (
	"net/http"
	"sync/atomic"
	"time"
)

// A dateCache has the Date of answers (RFC 9110, section 6.6.1), made once a
// second.
type dateCache struct{ last atomic.Pointer[dated] }

type dated struct {
	second int64
	values [1]string
}

// at is the Date of a moment as the values of a header, which all answers of a
// second share.
func (d *dateCache) at(now time.Time) []string {
	last := d.last.Load()
	if last == nil || last.second != now.Unix() {
		last = &dated{now.Unix(), [1]string{now.UTC().Format(http.TimeFormat)}}
		d.last.Store(last)
	}
	return last.values[:]
}
