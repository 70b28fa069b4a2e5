package command

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A ByteSize is a flag of bytes, with a unit: 65536, 64KiB, 1MiB, 2GiB.
type ByteSize int64

var byteUnits = []struct {
	name  string
	bytes int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

// Set implements [pflag.Value].
func (s *ByteSize) Set(text string) error {
	digits, unit := strings.TrimSpace(text), int64(1)
	for _, u := range byteUnits {
		if before, ok := strings.CutSuffix(digits, u.name); ok {
			digits, unit = strings.TrimSpace(before), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return fmt.Errorf("%q is no size such as 65536, 64KiB or 16MiB", text)
	}
	*s = ByteSize(n * unit)
	return nil
}

// String implements [pflag.Value].
func (s *ByteSize) String() string {
	for _, u := range byteUnits {
		if n := int64(*s); n >= u.bytes && n%u.bytes == 0 && u.bytes > 1 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Type implements [pflag.Value].
func (s *ByteSize) Type() string { return "size" }
