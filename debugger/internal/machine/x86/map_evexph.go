package x86

// evexMap5 has the half-precision instructions of EVEX map 5.
var evexMap5 = opcodes{
	0x10: {pF3: {"", operands{}, evex | byMod | gVmovsh}},
	0x11: {pF3: {"", operands{}, evex | byMod | gVmovshStore}},
	0x1d: {
		0:   {"vcvtss2sh", operands{vdq, hdq, wd}, evex | rounds},
		p66: {"vcvtps2phx", operands{vh, wx}, evex | bcast4 | rounds},
	},
	0x2a: {pF3: {"vcvtsi2sh", operands{vdq, hdq, eu}, evex | rounds}},
	0x2c: {pF3: {"vcvttsh2si", operands{gu, ww}, evex | sae | touchesFP}},
	0x2d: {pF3: {"vcvtsh2si", operands{gu, ww}, evex | rounds | touchesFP}},
	0x2e: {0: {"vucomish", operands{vdq, ww}, evex | sae | readOnly | touchesFP}},
	0x2f: {0: {"vcomish", operands{vdq, ww}, evex | sae | readOnly | touchesFP}},
	0x51: {
		0:   {"vsqrtph", operands{vx, wx}, evex | bcast2 | rounds},
		pF3: {"vsqrtsh", operands{vdq, hdq, ww}, evex | rounds},
	},
	0x58: {
		0:   {"vaddph", operands{vx, hx, wx}, evex | bcast2 | rounds},
		pF3: {"vaddsh", operands{vdq, hdq, ww}, evex | rounds},
	},
	0x59: {
		0:   {"vmulph", operands{vx, hx, wx}, evex | bcast2 | rounds},
		pF3: {"vmulsh", operands{vdq, hdq, ww}, evex | rounds},
	},
	0x5c: {
		0:   {"vsubph", operands{vx, hx, wx}, evex | bcast2 | rounds},
		pF3: {"vsubsh", operands{vdq, hdq, ww}, evex | rounds},
	},
	0x5d: {
		0:   {"vminph", operands{vx, hx, wx}, evex | bcast2 | sae},
		pF3: {"vminsh", operands{vdq, hdq, ww}, evex | sae},
	},
	0x5e: {
		0:   {"vdivph", operands{vx, hx, wx}, evex | bcast2 | rounds},
		pF3: {"vdivsh", operands{vdq, hdq, ww}, evex | rounds},
	},
	0x5f: {
		0:   {"vmaxph", operands{vx, hx, wx}, evex | bcast2 | sae},
		pF3: {"vmaxsh", operands{vdq, hdq, ww}, evex | sae},
	},
	0x5a: {
		0:   {"vcvtph2pd", operands{vx, wf}, evex | bcast2 | sae},
		p66: {"vcvtpd2ph", operands{vf, wx}, evex | bcast8 | rounds},
		pF3: {"vcvtsh2sd", operands{vdq, hdq, ww}, evex | sae},
		pF2: {"vcvtsd2sh", operands{vdq, hdq, wq}, evex | rounds},
	},
	0x5b: {
		0:   {"", operands{}, evex | byW | gCvtDQ2PH},
		p66: {"vcvtph2dq", operands{vx, wh}, evex | bcast2 | rounds},
		pF3: {"vcvttph2dq", operands{vx, wh}, evex | bcast2 | sae},
	},
	0x6e: {p66: {"vmovw", operands{vdq, erw}, evex}},
	0x7e: {p66: {"vmovw", operands{erw, vdq}, evex}},
	0x78: {
		0:   {"vcvttph2udq", operands{vx, wh}, evex | bcast2 | sae},
		p66: {"vcvttph2uqq", operands{vx, wf}, evex | bcast2 | sae},
		pF3: {"vcvttsh2usi", operands{gu, ww}, evex | sae | touchesFP},
	},
	0x79: {
		0:   {"vcvtph2udq", operands{vx, wh}, evex | bcast2 | rounds},
		p66: {"vcvtph2uqq", operands{vx, wf}, evex | bcast2 | rounds},
		pF3: {"vcvtsh2usi", operands{gu, ww}, evex | rounds | touchesFP},
	},
	0x7a: {
		p66: {"vcvttph2qq", operands{vx, wf}, evex | bcast2 | sae},
		pF2: {"", operands{}, evex | byW | gCvtUDQ2PH},
	},
	0x7b: {
		p66: {"vcvtph2qq", operands{vx, wf}, evex | bcast2 | rounds},
		pF3: {"vcvtusi2sh", operands{vdq, hdq, eu}, evex | rounds},
	},
	0x7c: {
		0:   {"vcvttph2uw", operands{vx, wx}, evex | bcast2 | sae},
		p66: {"vcvttph2w", operands{vx, wx}, evex | bcast2 | sae},
	},
	0x7d: {
		0:   {"vcvtph2uw", operands{vx, wx}, evex | bcast2 | rounds},
		p66: {"vcvtph2w", operands{vx, wx}, evex | bcast2 | rounds},
		pF3: {"vcvtw2ph", operands{vx, wx}, evex | bcast2 | rounds},
		pF2: {"vcvtuw2ph", operands{vx, wx}, evex | bcast2 | rounds},
	},
}

// evexMap6 has the half-precision instructions of EVEX map 6.
var evexMap6 = opcodes{
	0x13: {
		0:   {"vcvtsh2ss", operands{vdq, hdq, ww}, evex | sae},
		p66: {"vcvtph2psx", operands{vx, wh}, evex | bcast2 | sae},
	},
	0x2c: {p66: {"vscalefph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0x2d: {p66: {"vscalefsh", operands{vdq, hdq, ww}, evex | rounds}},
	0x42: {p66: {"vgetexpph", operands{vx, wx}, evex | bcast2 | sae}},
	0x43: {p66: {"vgetexpsh", operands{vdq, hdq, ww}, evex | sae}},
	0x4c: {p66: {"vrcpph", operands{vx, wx}, evex | bcast2}},
	0x4d: {p66: {"vrcpsh", operands{vdq, hdq, ww}, evex}},
	0x4e: {p66: {"vrsqrtph", operands{vx, wx}, evex | bcast2}},
	0x4f: {p66: {"vrsqrtsh", operands{vdq, hdq, ww}, evex}},
	0x56: {
		pF3: {"vfmaddcph", operands{vx, hx, wx}, evex | bcast4 | rounds},
		pF2: {"vfcmaddcph", operands{vx, hx, wx}, evex | bcast4 | rounds},
	},
	0x57: {
		pF3: {"vfmaddcsh", operands{vdq, hdq, wd}, evex | rounds},
		pF2: {"vfcmaddcsh", operands{vdq, hdq, wd}, evex | rounds},
	},
	0x96: {p66: {"vfmaddsub132ph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0x97: {p66: {"vfmsubadd132ph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0x98: {p66: {"vfmadd132ph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0x99: {p66: {"vfmadd132sh", operands{vdq, hdq, ww}, evex | rounds}},
	0x9a: {p66: {"vfmsub132ph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0x9b: {p66: {"vfmsub132sh", operands{vdq, hdq, ww}, evex | rounds}},
	0x9c: {p66: {"vfnmadd132ph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0x9d: {p66: {"vfnmadd132sh", operands{vdq, hdq, ww}, evex | rounds}},
	0x9e: {p66: {"vfnmsub132ph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0x9f: {p66: {"vfnmsub132sh", operands{vdq, hdq, ww}, evex | rounds}},
	0xa6: {p66: {"vfmaddsub213ph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0xa7: {p66: {"vfmsubadd213ph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0xa8: {p66: {"vfmadd213ph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0xa9: {p66: {"vfmadd213sh", operands{vdq, hdq, ww}, evex | rounds}},
	0xaa: {p66: {"vfmsub213ph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0xab: {p66: {"vfmsub213sh", operands{vdq, hdq, ww}, evex | rounds}},
	0xac: {p66: {"vfnmadd213ph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0xad: {p66: {"vfnmadd213sh", operands{vdq, hdq, ww}, evex | rounds}},
	0xae: {p66: {"vfnmsub213ph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0xaf: {p66: {"vfnmsub213sh", operands{vdq, hdq, ww}, evex | rounds}},
	0xb6: {p66: {"vfmaddsub231ph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0xb7: {p66: {"vfmsubadd231ph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0xb8: {p66: {"vfmadd231ph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0xb9: {p66: {"vfmadd231sh", operands{vdq, hdq, ww}, evex | rounds}},
	0xba: {p66: {"vfmsub231ph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0xbb: {p66: {"vfmsub231sh", operands{vdq, hdq, ww}, evex | rounds}},
	0xbc: {p66: {"vfnmadd231ph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0xbd: {p66: {"vfnmadd231sh", operands{vdq, hdq, ww}, evex | rounds}},
	0xbe: {p66: {"vfnmsub231ph", operands{vx, hx, wx}, evex | bcast2 | rounds}},
	0xbf: {p66: {"vfnmsub231sh", operands{vdq, hdq, ww}, evex | rounds}},
	0xd6: {
		pF3: {"vfmulcph", operands{vx, hx, wx}, evex | bcast4 | rounds},
		pF2: {"vfcmulcph", operands{vx, hx, wx}, evex | bcast4 | rounds},
	},
	0xd7: {
		pF3: {"vfmulcsh", operands{vdq, hdq, wd}, evex | rounds},
		pF2: {"vfcmulcsh", operands{vdq, hdq, wd}, evex | rounds},
	},
}
