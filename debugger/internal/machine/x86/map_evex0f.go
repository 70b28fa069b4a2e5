package x86

// evex0F has what EVEX map 1 has besides vex0F and map0F.
var evex0F = opcodes{
	0x5b: {0: {"", operands{}, evex | byW | gCvtDQ}},
	0x64: {p66: {"vpcmpgtb", operands{kq, hx, wx}, evex}},
	0x65: {p66: {"vpcmpgtw", operands{kq, hx, wx}, evex}},
	0x66: {p66: {"vpcmpgtd", operands{kq, hx, wx}, evex | bcast4}},
	0x6f: {
		p66: {"vmovdqa32/vmovdqa64", operands{vx, wx}, evex | nameW},
		pF3: {"vmovdqu32/vmovdqu64", operands{vx, wx}, evex | nameW},
		pF2: {"vmovdqu8/vmovdqu16", operands{vx, wx}, evex | nameW},
	},
	0x72: {p66: {"", operands{hx, wx, ib}, evex | byReg | gRotateDword}},
	0x74: {p66: {"vpcmpeqb", operands{kq, hx, wx}, evex}},
	0x75: {p66: {"vpcmpeqw", operands{kq, hx, wx}, evex}},
	0x76: {p66: {"vpcmpeqd", operands{kq, hx, wx}, evex | bcast4}},
	0x78: {
		0:   {"", operands{}, evex | byW | gCvt78},
		p66: {"", operands{}, evex | byW | gCvt78P},
		pF3: {"vcvttss2usi", operands{gu, wd}, evex | sae | touchesFP},
		pF2: {"vcvttsd2usi", operands{gu, wq}, evex | sae | touchesFP},
	},
	0x79: {
		0:   {"", operands{}, evex | byW | gCvt79},
		p66: {"", operands{}, evex | byW | gCvt79P},
		pF3: {"vcvtss2usi", operands{gu, wd}, evex | rounds | touchesFP},
		pF2: {"vcvtsd2usi", operands{gu, wq}, evex | rounds | touchesFP},
	},
	0x7a: {
		p66: {"", operands{}, evex | byW | gCvt7A},
		pF3: {"", operands{}, evex | byW | gCvtUDQ2PD},
		pF2: {"", operands{}, evex | byW | gCvtUDQ2PS},
	},
	0x7b: {
		p66: {"", operands{}, evex | byW | gCvt7B},
		pF3: {"vcvtusi2ss", operands{vdq, hdq, eu}, evex | rounds},
		pF2: {"vcvtusi2sd", operands{vdq, hdq, eu}, evex | rounds},
	},
	0x7f: {
		p66: {"vmovdqa32/vmovdqa64", operands{wx, vx}, evex | nameW},
		pF3: {"vmovdqu32/vmovdqu64", operands{wx, vx}, evex | nameW},
		pF2: {"vmovdqu8/vmovdqu16", operands{wx, vx}, evex | nameW},
	},
	0xc2: {
		0:   {"vcmpps", operands{kq, hx, wx, ib}, evex | bcast4 | sae | predFP},
		p66: {"vcmppd", operands{kq, hx, wx, ib}, evex | bcast8 | sae | predFP},
		pF3: {"vcmpss", operands{kq, hdq, wd, ib}, evex | sae | predFP},
		pF2: {"vcmpsd", operands{kq, hdq, wq, ib}, evex | sae | predFP},
	},
	0xdb: {p66: {"vpand", operands{vx, hx, wx}, evex | suffixDQ | bcastW}},
	0xdf: {p66: {"vpandn", operands{vx, hx, wx}, evex | suffixDQ | bcastW}},
	0xeb: {p66: {"vpor", operands{vx, hx, wx}, evex | suffixDQ | bcastW}},
	0xef: {p66: {"vpxor", operands{vx, hx, wx}, evex | suffixDQ | bcastW}},
	0xe2: {p66: {"vpsra", operands{vx, hx, wdq}, evex | suffixDQ}},
	0xe6: {pF3: {"", operands{}, evex | byW | gCvtDQ2PD}},
}
