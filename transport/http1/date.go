package http1

import (
	"net/http"
	"sync/atomic"
	"time"
)

// A dateCache caches the Date of answers (RFC 9110, section 6.6.1) for a second.
type dateCache struct{ last atomic.Pointer[dated] }

// A dated is the value of the Date header for a second.
type dated struct {
	second int64
	values [1]string
}

// at returns the values of the field Date for a time; answers of one second share them.
func (d *dateCache) at(now time.Time) []string {
	last := d.last.Load()
	if last == nil || last.second != now.Unix() {
		last = &dated{now.Unix(), [1]string{now.UTC().Format(http.TimeFormat)}}
		d.last.Store(last)
	}
	return last.values[:]
}
