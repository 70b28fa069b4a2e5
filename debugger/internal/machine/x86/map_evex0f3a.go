package x86

// evex0F3A has what EVEX map 3 has besides vex0F3A and map0F3A.
var evex0F3A = opcodes{
	0x03: {p66: {"valign", operands{vx, hx, wx, ib}, evex | suffixDQ | bcastW}},
	0x08: {
		0:   {"vrndscaleph", operands{vx, wx, ib}, evex | bcast2 | sae},
		p66: {"vrndscaleps", operands{vx, wx, ib}, evex | bcast4 | sae},
	},
	0x09: {p66: {"vrndscalepd", operands{vx, wx, ib}, evex | bcast8 | sae}},
	0x0a: {
		0:   {"vrndscalesh", operands{vdq, hdq, ww, ib}, evex | sae},
		p66: {"vrndscaless", operands{vdq, hdq, wd, ib}, evex | sae},
	},
	0x0b: {p66: {"vrndscalesd", operands{vdq, hdq, wq, ib}, evex | sae}},
	0x18: {p66: {"vinsertf32x4/vinsertf64x2", operands{vx, hx, wdq, ib}, evex | nameW}},
	0x19: {p66: {"vextractf32x4/vextractf64x2", operands{wdq, vx, ib}, evex | nameW}},
	0x1a: {p66: {"vinsertf32x8/vinsertf64x4", operands{vx, hx, wqq, ib}, evex | nameW}},
	0x1b: {p66: {"vextractf32x8/vextractf64x4", operands{wqq, vx, ib}, evex | nameW}},
	0x1e: {p66: {"vpcmpud/vpcmpuq", operands{kq, hx, wx, ib}, evex | nameW | bcastW | predInt}},
	0x1f: {p66: {"vpcmpd/vpcmpq", operands{kq, hx, wx, ib}, evex | nameW | bcastW | predInt}},
	0x23: {p66: {"vshuff32x4/vshuff64x2", operands{vx, hx, wx, ib}, evex | nameW | bcastW}},
	0x25: {p66: {"vpternlog", operands{vx, hx, wx, ib}, evex | suffixDQ | bcastW}},
	0x26: {
		0:   {"vgetmantph", operands{vx, wx, ib}, evex | bcast2 | sae},
		p66: {"vgetmantp", operands{vx, wx, ib}, evex | suffixSD | bcastW | sae},
	},
	0x27: {
		0:   {"vgetmantsh", operands{vdq, hdq, ww, ib}, evex | sae},
		p66: {"vgetmants", operands{vdq, hdq, ws, ib}, evex | suffixSD | sae},
	},
	0x38: {p66: {"vinserti32x4/vinserti64x2", operands{vx, hx, wdq, ib}, evex | nameW}},
	0x39: {p66: {"vextracti32x4/vextracti64x2", operands{wdq, vx, ib}, evex | nameW}},
	0x3a: {p66: {"vinserti32x8/vinserti64x4", operands{vx, hx, wqq, ib}, evex | nameW}},
	0x3b: {p66: {"vextracti32x8/vextracti64x4", operands{wqq, vx, ib}, evex | nameW}},
	0x3e: {p66: {"vpcmpub/vpcmpuw", operands{kq, hx, wx, ib}, evex | nameW | predInt}},
	0x3f: {p66: {"vpcmpb/vpcmpw", operands{kq, hx, wx, ib}, evex | nameW | predInt}},
	0x42: {p66: {"vdbpsadbw", operands{vx, hx, wx, ib}, evex}},
	0x43: {p66: {"vshufi32x4/vshufi64x2", operands{vx, hx, wx, ib}, evex | nameW | bcastW}},
	0x50: {p66: {"vrangep", operands{vx, hx, wx, ib}, evex | suffixSD | bcastW | sae}},
	0x51: {p66: {"vranges", operands{vdq, hdq, ws, ib}, evex | suffixSD | sae}},
	0x54: {p66: {"vfixupimmp", operands{vx, hx, wx, ib}, evex | suffixSD | bcastW | sae}},
	0x55: {p66: {"vfixupimms", operands{vdq, hdq, ws, ib}, evex | suffixSD | sae}},
	0x56: {
		0:   {"vreduceph", operands{vx, wx, ib}, evex | bcast2 | sae},
		p66: {"vreducep", operands{vx, wx, ib}, evex | suffixSD | bcastW | sae},
	},
	0x57: {
		0:   {"vreducesh", operands{vdq, hdq, ww, ib}, evex | sae},
		p66: {"vreduces", operands{vdq, hdq, ws, ib}, evex | suffixSD | sae},
	},
	0x66: {
		0:   {"vfpclassph", operands{kq, wx, ib}, evex | bcast2},
		p66: {"vfpclassp", operands{kq, wx, ib}, evex | suffixSD | bcastW},
	},
	0x67: {
		0:   {"vfpclasssh", operands{kq, ww, ib}, evex},
		p66: {"vfpclasss", operands{kq, ws, ib}, evex | suffixSD},
	},
	0x70: {p66: {"vpshldw", operands{vx, hx, wx, ib}, evex}},
	0x71: {p66: {"vpshld", operands{vx, hx, wx, ib}, evex | suffixDQ | bcastW}},
	0x72: {p66: {"vpshrdw", operands{vx, hx, wx, ib}, evex}},
	0x73: {p66: {"vpshrd", operands{vx, hx, wx, ib}, evex | suffixDQ | bcastW}},
	0xc2: {
		0:   {"vcmpph", operands{kq, hx, wx, ib}, evex | bcast2 | sae | predFP},
		pF3: {"vcmpsh", operands{kq, hdq, ww, ib}, evex | sae | predFP},
	},
}
