package x86

// map0F3A has the instructions of the opcode bytes 0F 3A and one more, and
// those of VEX and EVEX map 3 that have the same operands but for vvvv.
var map0F3A = opcodes{
	0x08: {p66: {"roundps", operands{vx, wx, ib}, 0}},
	0x09: {p66: {"roundpd", operands{vx, wx, ib}, 0}},
	0x0a: {p66: {"roundss", operands{vdq, hdq, wd, ib}, 0}},
	0x0b: {p66: {"roundsd", operands{vdq, hdq, wq, ib}, 0}},
	0x0c: {p66: {"blendps", operands{vx, hx, wx, ib}, 0}},
	0x0d: {p66: {"blendpd", operands{vx, hx, wx, ib}, 0}},
	0x0e: {p66: {"pblendw", operands{vx, hx, wx, ib}, 0}},
	0x0f: {
		0:   {"palignr", operands{pq, qq, ib}, noVEX},
		p66: {"palignr", operands{vx, hx, wx, ib}, evex},
	},
	0x14: {p66: {"pextrb", operands{erb, vdq, ib}, evex}},
	0x15: {p66: {"pextrw", operands{erw, vdq, ib}, evex}},
	0x16: {p66: {"pextrd/pextrq", operands{eu, vdq, ib}, evex | nameW}},
	0x17: {p66: {"extractps", operands{ed, vdq, ib}, evex}},
	0x20: {p66: {"pinsrb", operands{vdq, hdq, erb, ib}, evex}},
	0x21: {p66: {"insertps", operands{vdq, hdq, wd, ib}, evex}},
	0x22: {p66: {"pinsrd/pinsrq", operands{vdq, hdq, eu, ib}, evex | nameW}},
	0x40: {p66: {"dpps", operands{vx, hx, wx, ib}, 0}},
	0x41: {p66: {"dppd", operands{vdq, hdq, wdq, ib}, 0}},
	0x42: {p66: {"mpsadbw", operands{vx, hx, wx, ib}, 0}},
	0x44: {p66: {"pclmulqdq", operands{vx, hx, wx, ib}, evex}},
	0x60: {p66: {"pcmpestrm", operands{vdq, wdq, ib}, readOnly | touchesFP}},
	0x61: {p66: {"pcmpestri", operands{vdq, wdq, ib}, readOnly}},
	0x62: {p66: {"pcmpistrm", operands{vdq, wdq, ib}, readOnly | touchesFP}},
	0x63: {p66: {"pcmpistri", operands{vdq, wdq, ib}, readOnly}},
	0xcc: {0: {"sha1rnds4", operands{vdq, wdq, ib}, noVEX}},
	0xce: {p66: {"gf2p8affineqb", operands{vx, hx, wx, ib}, evex | bcast8}},
	0xcf: {p66: {"gf2p8affineinvqb", operands{vx, hx, wx, ib}, evex | bcast8}},
	0xdf: {p66: {"aeskeygenassist", operands{vdq, wdq, ib}, 0}},
	0xf0: {pF3: {"hreset", operands{ib}, privileged | noVEX}},
}
