package packet

import (
	"errors"
	"fmt"
)

// MaxSize is the maximum size of a packet in bytes, which a server announces as
// PacketSize.
const MaxSize = 64 << 10

// ErrTooLong is returned for packets larger than MaxSize.
var ErrTooLong = errors.New("packet is too long")

// checksum returns the sum of the bytes of a packet as sent, modulo 256.
func checksum(raw []byte) byte {
	var sum byte
	for _, b := range raw {
		sum += b
	}
	return sum
}

// encode returns the frame of a packet with the data.
func encode(data []byte) []byte {
	frame := append(make([]byte, 0, len(data)+8), '$')
	frame = compress(frame, escape(data))
	return fmt.Appendf(frame, "#%02x", checksum(frame[1:]))
}

// escapeMark precedes an escaped byte, which is sent with bit 5 inverted.
const (
	escapeMark = '}'
	escapeBit  = 0x20
	repeatMark = '*'
)

// escape escapes the bytes that have a special meaning in packets (section E.1).
func escape(data []byte) []byte {
	raw := make([]byte, 0, len(data))
	for _, b := range data {
		if b == '#' || b == '$' || b == escapeMark || b == repeatMark {
			raw = append(raw, escapeMark, b^escapeBit)
		} else {
			raw = append(raw, b)
		}
	}
	return raw
}

// A run of equal bytes is sent as one of them, repeatMark, and a printable byte
// that encodes the number of repetitions. Short runs are sent unchanged.
const (
	repeatBase = 29
	minRepeat  = 3
	maxRepeat  = 126 - repeatBase
)

// compress appends bytes with run-length encoding. It does not encode runs of
// escaped bytes: clients differ in whether they expand runs before they process
// escapes.
func compress(frame, raw []byte) []byte {
	for i := 0; i < len(raw); {
		b := raw[i]
		frame = append(frame, b)
		i++
		if b == escapeMark {
			frame = append(frame, raw[i])
			i++
			continue
		}
		more := 0
		for i+more < len(raw) && raw[i+more] == b && more < maxRepeat {
			more++
		}
		if more = countable(more); more >= minRepeat {
			frame = append(frame, repeatMark, byte(more+repeatBase))
			i += more
		}
	}
	return frame
}

// countable returns the largest count up to n whose encoding has no special
// meaning in packets.
func countable(n int) int {
	for {
		switch byte(n + repeatBase) {
		case '#', '$', '+', '-':
			n--
		default:
			return n
		}
	}
}

var (
	errEscape = errors.New("packet ends in an escape")
	errRepeat = errors.New("packet repeats nothing, or by no count")
)

// decode expands runs and resolves escapes.
func decode(raw []byte) ([]byte, error) {
	plain, err := expand(raw)
	if err != nil {
		return nil, err
	}
	data := plain[:0]
	for i := 0; i < len(plain); i++ {
		b := plain[i]
		if b == escapeMark {
			if i++; i == len(plain) {
				return nil, errEscape
			}
			b = plain[i] ^ escapeBit
		}
		data = append(data, b)
	}
	return data, nil
}

// expand expands runs. It returns ErrTooLong if the result exceeds MaxSize.
func expand(raw []byte) ([]byte, error) {
	plain := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != repeatMark {
			plain = append(plain, raw[i])
			continue
		}
		if i++; i == len(raw) || len(plain) == 0 || raw[i] < repeatBase+minRepeat || raw[i] > repeatBase+maxRepeat {
			return nil, errRepeat
		}
		b := plain[len(plain)-1]
		for range raw[i] - repeatBase {
			plain = append(plain, b)
		}
		if len(plain) > MaxSize {
			return nil, ErrTooLong
		}
	}
	return plain, nil
}
