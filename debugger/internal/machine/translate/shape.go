package translate

// A shape says where the parts of an instruction's encoding are.
type shape struct {
	code   []byte
	start  int  // of REX, VEX, EVEX or the opcode: the ignored and legacy prefixes end there
	rex    byte // 0 if there is none
	escape byte // 0, 0x0f, or the byte of VEX or EVEX
	opcode byte
	modRM  int // offset of ModRM, if the instruction has one
}

// shapeOf splits an instruction that has been decoded.
func shapeOf(code []byte) shape {
	s := shape{code: code}
	for isPrefix(code[s.start]) || isREX(code[s.start]) && (isPrefix(code[s.start+1]) || isREX(code[s.start+1])) {
		s.start++ // REX is ignored unless it is the last prefix
	}
	at := s.start
	if isREX(code[at]) {
		s.rex = code[at]
		at++
	}
	switch code[at] {
	case 0x0f:
		s.escape = 0x0f
		at++
		if code[at] == 0x38 || code[at] == 0x3a {
			at++
		}
	case 0xc5:
		s.escape = code[at]
		at += 2
	case 0xc4:
		s.escape = code[at]
		at += 3
	case 0x62:
		s.escape = code[at]
		at += 4
	}
	s.opcode, s.modRM = code[at], at+1
	return s
}

func isREX(b byte) bool { return b&0xf0 == 0x40 }

// prefixes are the legacy prefixes.
var prefixes = opcodeSet(0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3)

// isPrefix reports whether a byte is a legacy prefix.
func isPrefix(b byte) bool { return prefixes[b] }

// registers returns the numbers, without their highest bits, of the registers in
// ModRM.reg and in the field vvvv, which is 8 without VEX and EVEX.
func (s *shape) registers() (reg, vvvv byte) {
	reg, vvvv = s.code[s.modRM]>>3&7, 8
	switch s.escape {
	case 0xc4, 0x62:
		vvvv = ^s.code[s.start+2] >> 3 & 7
	case 0xc5:
		vvvv = ^s.code[s.start+1] >> 3 & 7
	}
	return reg, vvvv
}
