package gdbremote

import (
	"strconv"
	"strings"
)

// parseHex parses a hexadecimal number.
func parseHex(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 16, 64)
	if err != nil {
		return 0, errArgument
	}
	return n, nil
}

// parsePair parses two hexadecimal numbers separated by a comma.
func parsePair(text string) (a, b uint64, err error) {
	first, second, ok := strings.Cut(text, ",")
	if !ok {
		return 0, 0, errArgument
	}
	if a, err = parseHex(first); err != nil {
		return 0, 0, err
	}
	b, err = parseHex(second)
	return a, b, err
}
