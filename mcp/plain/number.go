package plain

import (
	"fmt"
	"strconv"
)

// Count returns a number with a noun, such as "2 threads".
func Count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return Thousands(int64(n)) + " " + what
}

func Hex(n uint64) string { return fmt.Sprintf("%#x", n) }

// Thousands formats a number with a comma between groups of three digits.
func Thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}
