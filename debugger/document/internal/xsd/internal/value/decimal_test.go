package value

import (
	"math/big"
	"testing"
)

// Decimals compare as the rational numbers that they are.
func TestCompareDecimal(t *testing.T) {
	all := []string{"0", "-0", "+0", "0.0", "1", "+1.00", "01", "-1", "10", "9", "-10", "-9", "0.5", ".5", "5.", "0.49", "-0.5", "-.05", "100.001", "100.01", "99.999"}
	for _, a := range all {
		for _, b := range all {
			x, _ := new(big.Rat).SetString(a)
			y, _ := new(big.Rat).SetString(b)
			if got, want := CompareDecimal(a, b), x.Cmp(y); got != want {
				t.Errorf("CompareDecimal(%q, %q) = %d, want %d", a, b, got, want)
			}
		}
	}
	for _, wrong := range []string{"", "-", ".", "x", "1x", "--1"} {
		if got := CompareDecimal(wrong, "1"); got != -2 {
			t.Errorf("CompareDecimal(%q, 1) = %d, want -2", wrong, got)
		}
	}
}
