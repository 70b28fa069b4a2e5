//go:build linux

package load

import (
	"math/bits"
	"time"
)

// A Sample holds the measurements of one run.
type Sample struct {
	N       int           // answers
	Bad     int           // of them, those with a wrong id or length
	Took    time.Duration // until the last answer
	CPU     time.Duration // of the server
	Driver  time.Duration // CPU time of this process
	Latency Histogram
}

// Rate is answers a second.
func (s *Sample) Rate() float64 { return float64(s.N) / max(s.Took.Seconds(), 1e-9) }

// CPUEach is the server's CPU time for an answer, in microseconds.
func (s *Sample) CPUEach() float64 { return micros(s.CPU) / float64(max(s.N, 1)) }

// DriverEach is the driver's.
func (s *Sample) DriverEach() float64 { return micros(s.Driver) / float64(max(s.N, 1)) }

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// add counts another sample that was taken beside this one.
func (s *Sample) add(o *Sample) {
	s.N += o.N
	s.Bad += o.Bad
	s.Took = max(s.Took, o.Took)
	s.Latency.add(&o.Latency)
}

// A Histogram counts durations with an error of three per cent at most. The zero
// Histogram is empty.
type Histogram struct {
	counts [64 << fineBits]uint32
	n      int
}

// fineBits is the number of bits below the leading one that buckets distinguish.
const fineBits = 5

// Add counts a duration; one below zero counts as zero.
func (h *Histogram) Add(d time.Duration) {
	h.counts[bucket(uint64(max(d, 0)))]++
	h.n++
}

func (h *Histogram) add(o *Histogram) {
	for i, c := range o.counts {
		h.counts[i] += c
	}
	h.n += o.n
}

// bucket is the number's power of two and the bits after its first.
func bucket(v uint64) int {
	shift := max(0, bits.Len64(v)-1-fineBits)
	return shift<<fineBits + int(v>>shift)
}

// floor is the least number of a bucket.
func floor(bucket int) uint64 {
	shift := max(0, bucket>>fineBits-1)
	return uint64(bucket-shift<<fineBits) << shift
}

// Quantile is the duration that the part q of all is no longer than, 0 when there
// are none.
func (h *Histogram) Quantile(q float64) time.Duration {
	left := min(int(q*float64(h.n)), h.n-1)
	for i, c := range h.counts {
		if left -= int(c); left < 0 {
			return time.Duration((floor(i) + floor(i+1)) / 2)
		}
	}
	return 0
}
