package figures

import (
	"fmt"
	"slices"
)

// PerSecond writes a rate with three digits.
func PerSecond(rate float64) string {
	switch {
	case rate >= 1e6:
		return fmt.Sprintf("%.3g M/s", rate/1e6)
	case rate >= 1e3:
		return fmt.Sprintf("%.3g k/s", rate/1e3)
	default:
		return fmt.Sprintf("%.3g /s", rate)
	}
}

// Duration writes seconds with three digits.
func Duration(seconds float64) string {
	switch {
	case seconds >= 1:
		return fmt.Sprintf("%.3g s", seconds)
	case seconds >= 1e-3:
		return fmt.Sprintf("%.3g ms", seconds*1e3)
	default:
		return fmt.Sprintf("%.3g µs", seconds*1e6)
	}
}

// Bytes writes a number of bytes.
func Bytes(n float64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", n/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", n/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", n/(1<<10))
	default:
		return fmt.Sprintf("%.0f B", n)
	}
}

// Times writes a ratio with three digits.
func Times(ratio float64) string {
	switch {
	case ratio >= 99.95:
		return fmt.Sprintf("%.0f", ratio)
	case ratio >= 9.995:
		return fmt.Sprintf("%.1f", ratio)
	default:
		return fmt.Sprintf("%.2f", ratio)
	}
}

// Median is the middle one, or between the two in the middle; 0 when there are
// none.
func Median(list []float64) float64 {
	n := len(list)
	if n == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	return (list[(n-1)/2] + list[n/2]) / 2
}
