package secrets

import (
	"hash/crc32"
	"strings"
)

// digits62 are the digits of checksums.
const digits62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// crc62 reports whether a token ends with the CRC-32 of what stands before it and behind
// the last underscore, as six digits of base 62 (GitHub's tokens of 2021, and npm's).
func crc62(token string) bool {
	const size = 6
	body := token[strings.LastIndexByte(token, '_')+1:]
	if len(body) <= size {
		return false
	}
	at := len(body) - size
	sum, want := uint64(crc32.ChecksumIEEE([]byte(body[:at]))), uint64(0)
	for _, c := range []byte(body[at:]) {
		digit := strings.IndexByte(digits62, c)
		if digit < 0 {
			return false
		}
		want = want*62 + uint64(digit)
	}
	return sum == want
}
