package traveltools

import "time"

// firstPage is the time after which a search in a long history answers with what it has found,
// and with where the same call goes on.
const firstPage = 1500 * time.Millisecond

// patience returns a function that reports whether that time has passed since the call.
func patience() (over func() bool) {
	end := time.Now().Add(firstPage)
	return func() bool { return time.Now().After(end) }
}
