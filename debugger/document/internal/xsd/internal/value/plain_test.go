package value

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// plainTypes are all types that plain knows, and one that it does not.
var plainTypes = []string{
	"decimal", "integer", "date", "dateTime", "time", "language", "NCName", "ID", "IDREF", "ENTITY",
	"Name", "NMTOKEN", "double", "float", "byte", "short", "int", "long", "unsignedByte", "unsignedShort",
	"unsignedInt", "unsignedLong", "nonNegativeInteger", "nonPositiveInteger", "positiveInteger",
	"negativeInteger", "anyURI",
}

// TestPlainValues checks that no value of a usual form is refused by the full check.
func TestPlainValues(t *testing.T) {
	seeds := []string{
		"", "-", "0", "-0", "00", "-1", "127", "128", "-128", "-129", "255", "256", "32767", "32768", "-32769",
		"2147483647", "2147483648", "-2147483649", "4294967295", "4294967296", "9223372036854775807",
		"-9223372036854775809", "18446744073709551615", "1.5", "-1.", ".5", "+1", "2000-10-01", "2000-02-29",
		"0000-01-01", "1999-13-01", "2000-12-00", "2000-01-28", "2000-10-01Z", "2000-10-01T23:59:59",
		"2000-10-01T24:00:00", "2000-10-01T23:59:60Z", "23:59:59Z", "24:00:00", "10:60:00", "en", "en-GB",
		"abcdefgh", "abcdefghi", "_a-b.c1", "-a", "1a", "a:b", "@", "[", "é",
	}
	usual := 0
	for _, builtin := range plainTypes {
		for _, value := range append(slices.Clone(seeds), mutants(seeds)...) {
			if !plain(value, builtin) {
				continue
			}
			usual++
			for _, version := range []Version{Version10, Version11} {
				if err := validateInFull(value, builtin, version); err != nil {
					t.Errorf("%q is a usual %s, but: %v", value, builtin, err)
				}
			}
		}
	}
	if usual < 1000 {
		t.Errorf("only %d values are of a usual form", usual)
	}
}

// mutants returns the seeds with one byte replaced, removed or doubled.
func mutants(seeds []string) []string {
	random := rand.New(rand.NewPCG(1, 2))
	var all []string
	for range 2000 {
		seed := seeds[random.IntN(len(seeds))]
		if seed == "" {
			continue
		}
		at := random.IntN(len(seed))
		with := []string{"", "0", "1", "9", "-", ".", ":", "T", "Z", "a", seed[at:at+1] + seed[at:at+1]}
		all = append(all, seed[:at]+with[random.IntN(len(with))]+seed[at+1:])
	}
	return all
}
