package valuetrace

import (
	"math/rand/v2"
	"testing"
)

// A shifted value was computed from the bits that change it.
func TestShifts(t *testing.T) {
	operations := map[string]func(a, n, width uint64) uint64{ // by the manuals of the processors
		"shl": func(a, n, _ uint64) uint64 { return a << n },
		"shr": func(a, n, _ uint64) uint64 { return a >> n },
		"sar": func(a, n, width uint64) uint64 {
			if a&(width^width>>1) != 0 {
				a |= ^width
			}
			return uint64(int64(a) >> n)
		},
	}
	for name, shifted := range shifts {
		for _, size := range []uint8{1, 2, 4, 8} {
			width := width(size)
			for range 200 {
				a, wanted, n := rand.Uint64()&width, rand.Uint64()&rand.Uint64()&width, rand.Uint64N(8*uint64(size))
				from := shifted(wanted, n, width)
				for bit := uint64(1); bit != 0 && bit <= width; bit <<= 1 {
					before, after := operations[name](a, n, width), operations[name](a^bit, n, width)
					if got, want := from&bit != 0, (before^after)&wanted != 0; got != want {
						t.Fatalf("%s %#x by %d of %d bytes: bits %#x of the result come from %#x: %v, want %v", name, a, n, size, wanted, bit, got, want)
					}
				}
			}
		}
	}
}

// The bits that bits of a sum were computed from make them, whatever the other bits are.
func TestSums(t *testing.T) {
	alone := 0
	for range 2000 {
		a, b, wanted := rand.Uint64()&rand.Uint64(), rand.Uint64()&rand.Uint64(), uint64(1)<<rand.IntN(64)
		from := ofSum(wanted, a+b, a^b)
		if from == wanted {
			alone++
		}
		if got, want := (a&from+b&from)&wanted, (a+b)&wanted; got != want {
			t.Errorf("%#x + %#x: bits %#x come from %#x, but are %#x, want %#x", a, b, wanted, from, got, want)
		}
		if from = ofSum(wanted, a-b, a^b); (a&from-b&from)&wanted != (a-b)&wanted {
			t.Errorf("%#x - %#x: bits %#x do not come from %#x", a, b, wanted, from)
		}
	}
	if alone == 0 || alone == 2000 {
		t.Errorf("%d of 2000 bits came from themselves", alone)
	}
}
