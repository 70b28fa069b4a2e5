package history

import "crypto/sha256"

// sealed gives a trace the checksum that fits, so that fuzzing gets past it.
func sealed(data []byte) []byte {
	if len(data) < sha256.Size {
		return data
	}
	body := data[:len(data)-sha256.Size]
	sum := sha256.Sum256(body)
	return append(append([]byte(nil), body...), sum[:]...)
}
