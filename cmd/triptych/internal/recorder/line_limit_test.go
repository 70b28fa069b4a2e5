package recorder

import (
	"testing"
	"time"
)

// In each second 50 lines are logged; the first line of a later second says how many were
// not.
func TestLineLimit(t *testing.T) {
	var l lineLimit
	at := time.Unix(1_800_000_000, 0)
	logged := 0
	for range 80 {
		if _, ok := l.allow(at); ok {
			logged++
		}
	}
	if logged != 50 {
		t.Errorf("%d of 80 lines of a second were logged, want 50", logged)
	}
	if dropped, ok := l.allow(at.Add(time.Second)); !ok || dropped != 30 {
		t.Errorf("the next second: logged %v after %d, want after 30", ok, dropped)
	}
	if dropped, ok := l.allow(at.Add(time.Second)); !ok || dropped != 0 {
		t.Errorf("the line after it: logged %v after %d, want after none", ok, dropped)
	}
}
