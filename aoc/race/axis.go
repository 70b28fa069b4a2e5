package race

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// A timeAxis maps times to 0 to 1, with round values at its ticks.
type timeAxis struct {
	ticks       []int64 // milliseconds
	low, high   int64   // milliseconds; low is 0 on a linear axis
	logarithmic bool
}

// steps are the distances of ticks on a linear axis.
var steps = []time.Duration{
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 48 * time.Hour, 120 * time.Hour, 240 * time.Hour,
}

// decades are the ticks of a logarithmic axis.
var decades = []time.Duration{
	time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second, 10 * time.Second, time.Minute, 10 * time.Minute,
	time.Hour, 10 * time.Hour, 100 * time.Hour, 1000 * time.Hour,
}

// The multiples of the median above which a value makes an axis logarithmic: of lines,
// which it presses together, sooner than of bars, whose lengths it makes hard to compare.
const farOffLine, farOffBar = 4, 8

// newTimeAxis returns an axis for the times, which are milliseconds of 1 or more. It is
// logarithmic if the longest is more than farOff times the median of lasts.
func newTimeAxis(all, lasts []int64, farOff int64) timeAxis {
	if len(all) == 0 {
		return timeAxis{ticks: []int64{0, 1000}, high: 1000}
	}
	longest := slices.Max(all)
	sorted := slices.Sorted(slices.Values(lasts))
	if len(sorted) > 0 && longest > farOff*max(median(sorted), 1) {
		return logAxis(slices.Min(all), longest)
	}
	step := steps[len(steps)-1].Milliseconds()
	for _, s := range steps {
		if longest <= 6*s.Milliseconds() {
			step = s.Milliseconds()
			break
		}
	}
	if longest/step > 12 { // beyond the greatest step
		step = (longest/6/step + 1) * step
	}
	axis := timeAxis{}
	for at := int64(0); ; at += step {
		axis.ticks = append(axis.ticks, at)
		if axis.high = at; at >= longest {
			return axis
		}
	}
}

func logAxis(shortest, longest int64) timeAxis {
	axis := timeAxis{logarithmic: true}
	for _, d := range decades {
		at := d.Milliseconds()
		switch {
		case at <= shortest:
			axis.ticks = []int64{at}
		case len(axis.ticks) == 0 || axis.ticks[len(axis.ticks)-1] < longest:
			axis.ticks = append(axis.ticks, at)
		}
	}
	axis.low, axis.high = axis.ticks[0], max(axis.ticks[len(axis.ticks)-1], longest)
	return axis
}

// at returns the place of a time, 0 to 1.
func (a timeAxis) at(ms int64) float64 {
	if a.logarithmic {
		low := math.Log(float64(a.low))
		return max(0, (math.Log(float64(max(ms, a.low)))-low)/max(math.Log(float64(a.high))-low, 1e-9))
	}
	return float64(ms) / float64(a.high)
}

// roundTime returns the label of a tick, in one unit: "250 ms", "15 s", "2 min", "3 h".
func roundTime(ms int64) string {
	switch {
	case ms == 0:
		return "0"
	case ms < 1000 || ms%1000 != 0:
		return fmt.Sprintf("%d ms", ms)
	case ms < 60_000 || ms%60_000 != 0:
		return fmt.Sprintf("%d s", ms/1000)
	case ms < 3_600_000 || ms%3_600_000 != 0:
		return fmt.Sprintf("%d min", ms/60_000)
	}
	return fmt.Sprintf("%d h", ms/3_600_000)
}
