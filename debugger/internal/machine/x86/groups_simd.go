package x86

// Numbers of the groups of vector instructions.
const (
	gShiftWord = gGeneral + iota
	gShiftDword
	gShiftQword
	gShiftWordMMX
	gShiftDwordMMX
	gShiftQwordMMX
	gMovss
	gMovsd
	gMovssStore
	gMovsdStore
	gMovlps
	gMovhps
	gAESWideKey
	gAESEncKey
	gBLS
	gTileConf
	gTileConfMem
	gTileConfReg
	gTileZero
	gVzero
	gRotateDword
	gCvtDQ
	gCvtDQ2PD
	gCvtUDQ2PD
	gCvtUDQ2PS
	gCvt78
	gCvt79
	gCvt78P
	gCvt79P
	gCvt7A
	gCvt7B
	gVmovsh
	gVmovshStore
	gKmovLoad
	gKmovLoad66
	gKmovStore
	gKmovStore66
	gCvtDQ2PH
	gCvtUDQ2PH
	gGatherPrefetchD
	gGatherPrefetchQ
	gFMA4    // 20 of them
	gSIMDEnd = gFMA4 + 20
)

// simdGroups is groups, from gGeneral on.
var simdGroups = [gSIMDEnd - gGeneral][8]row{
	// Without VEX the destination is the ModRM.rm register itself.
	gShiftWord - gGeneral: {
		2: {"psrlw", operands{}, evex},
		4: {"psraw", operands{}, evex},
		6: {"psllw", operands{}, evex},
	},
	gShiftDword - gGeneral: {
		2: {"psrld", operands{}, evex | bcast4},
		4: {"psrad", operands{}, evex | bcast4},
		6: {"pslld", operands{}, evex | bcast4},
	},
	gShiftQword - gGeneral: {
		2: {"psrlq", operands{}, evex | bcast8},
		3: {"psrldq", operands{}, evex},
		6: {"psllq", operands{}, evex | bcast8},
		7: {"pslldq", operands{}, evex},
	},
	gShiftWordMMX - gGeneral:  {2: {"psrlw", operands{}, noVEX}, 4: {"psraw", operands{}, noVEX}, 6: {"psllw", operands{}, noVEX}},
	gShiftDwordMMX - gGeneral: {2: {"psrld", operands{}, noVEX}, 4: {"psrad", operands{}, noVEX}, 6: {"pslld", operands{}, noVEX}},
	gShiftQwordMMX - gGeneral: {2: {"psrlq", operands{}, noVEX}, 6: {"psllq", operands{}, noVEX}},
	gRotateDword - gGeneral: {
		0: {"vpror", operands{}, evex | suffixDQ | bcastW},
		1: {"vprol", operands{}, evex | suffixDQ | bcastW},
		2: {"vpsrld", operands{}, evex | bcast4},
		4: {"vpsra", operands{}, evex | suffixDQ | bcastW},
		6: {"vpslld", operands{}, evex | bcast4},
	},

	gMovss - gGeneral:      {{"movss", operands{vdq, wd}, evex}, {"movss", operands{vdq, hdq, wd}, evex}},
	gMovsd - gGeneral:      {{"movsd", operands{vdq, wq}, evex}, {"movsd", operands{vdq, hdq, wq}, evex}},
	gMovssStore - gGeneral: {{"movss", operands{wd, vdq}, evex}, {"movss", operands{wd, hdq, vdq}, evex}},
	gMovsdStore - gGeneral: {{"movsd", operands{wq, vdq}, evex}, {"movsd", operands{wq, hdq, vdq}, evex}},
	gMovlps - gGeneral:     {{"movlps", operands{vdq, hdq, mq}, evex}, {"movhlps", operands{vdq, hdq, wdq}, evex}},
	gMovhps - gGeneral:     {{"movhps", operands{vdq, hdq, mq}, evex}, {"movlhps", operands{vdq, hdq, wdq}, evex}},

	gAESEncKey - gGeneral: {{"aesenc128kl", operands{vdq, ma}, noVEX | anyPrefix}, {"loadiwkey", operands{vdq, wdq}, privileged | noVEX}},
	gAESWideKey - gGeneral: {
		{"aesencwide128kl", operands{ma}, readOnly | touchesFP | noVEX},
		{"aesdecwide128kl", operands{ma}, readOnly | touchesFP | noVEX},
		{"aesencwide256kl", operands{ma}, readOnly | touchesFP | noVEX},
		{"aesdecwide256kl", operands{ma}, readOnly | touchesFP | noVEX},
	},
	gBLS - gGeneral: {
		1: {"blsr", operands{}, 0},
		2: {"blsmsk", operands{}, 0},
		3: {"blsi", operands{}, 0},
	},
	gTileConf - gGeneral:    {{"", operands{}, byReg | gTileConfMem}, {"", operands{}, byReg | gTileConfReg}},
	gTileConfMem - gGeneral: {0: {"ldtilecfg", operands{moq}, opaque | readOnly | touchesFP}},
	gTileConfReg - gGeneral: {0: {"tilerelease", operands{}, touchesFP}},
	gVzero - gGeneral:       {{"vzeroupper", operands{}, touchesFP}, {"vzeroall", operands{}, touchesFP}},

	gCvtDQ - gGeneral:     {{"vcvtdq2ps", operands{vx, wx}, evex | bcast4 | rounds}, {"vcvtqq2ps", operands{vh, wx}, evex | bcast8 | rounds}},
	gCvtDQ2PD - gGeneral:  {{"vcvtdq2pd", operands{vx, wh}, evex | bcast4}, {"vcvtqq2pd", operands{vx, wx}, evex | bcast8 | rounds}},
	gCvtUDQ2PD - gGeneral: {{"vcvtudq2pd", operands{vx, wh}, evex | bcast4}, {"vcvtuqq2pd", operands{vx, wx}, evex | bcast8 | rounds}},
	gCvtUDQ2PS - gGeneral: {{"vcvtudq2ps", operands{vx, wx}, evex | bcast4 | rounds}, {"vcvtuqq2ps", operands{vh, wx}, evex | bcast8 | rounds}},
	gCvt78 - gGeneral:     {{"vcvttps2udq", operands{vx, wx}, evex | bcast4 | sae}, {"vcvttpd2udq", operands{vh, wx}, evex | bcast8 | sae}},
	gCvt79 - gGeneral:     {{"vcvtps2udq", operands{vx, wx}, evex | bcast4 | rounds}, {"vcvtpd2udq", operands{vh, wx}, evex | bcast8 | rounds}},
	gCvt78P - gGeneral:    {{"vcvttps2uqq", operands{vx, wh}, evex | bcast4 | sae}, {"vcvttpd2uqq", operands{vx, wx}, evex | bcast8 | sae}},
	gCvt79P - gGeneral:    {{"vcvtps2uqq", operands{vx, wh}, evex | bcast4 | rounds}, {"vcvtpd2uqq", operands{vx, wx}, evex | bcast8 | rounds}},
	gCvt7A - gGeneral:     {{"vcvttps2qq", operands{vx, wh}, evex | bcast4 | sae}, {"vcvttpd2qq", operands{vx, wx}, evex | bcast8 | sae}},
	gCvt7B - gGeneral:     {{"vcvtps2qq", operands{vx, wh}, evex | bcast4 | rounds}, {"vcvtpd2qq", operands{vx, wx}, evex | bcast8 | rounds}},

	gVmovsh - gGeneral:      {{"vmovsh", operands{vdq, ww}, evex}, {"vmovsh", operands{vdq, hdq, ww}, evex}},
	gVmovshStore - gGeneral: {{"vmovsh", operands{ww, vdq}, evex}, {"vmovsh", operands{ww, hdq, vdq}, evex}},
	gKmovLoad - gGeneral:    {{"kmovw", operands{}, 0}, {"kmovq", operands{kq, kmq}, 0}},
	gKmovLoad66 - gGeneral:  {{"kmovb", operands{}, 0}, {"kmovd", operands{kq, kmd}, 0}},
	gKmovStore - gGeneral:   {{"kmovw", operands{}, 0}, {"kmovq", operands{kmq, kq}, 0}},
	gKmovStore66 - gGeneral: {{"kmovb", operands{}, 0}, {"kmovd", operands{kmd, kq}, 0}},

	gCvtDQ2PH - gGeneral:  {{"vcvtdq2ph", operands{vh, wx}, evex | bcast4 | rounds}, {"vcvtqq2ph", operands{vf, wx}, evex | bcast8 | rounds}},
	gCvtUDQ2PH - gGeneral: {{"vcvtudq2ph", operands{vh, wx}, evex | bcast4 | rounds}, {"vcvtuqq2ph", operands{vf, wx}, evex | bcast8 | rounds}},

	gTileZero - gGeneral: {1: {"tilezero", operands{}, 0}},

	gGatherPrefetchD - gGeneral: {
		1: {"vgatherpf0dp", operands{mgather}, evex | suffixSD | vsib | element | readOnly},
		2: {"vgatherpf1dp", operands{mgather}, evex | suffixSD | vsib | element | readOnly},
		5: {"vscatterpf0dp", operands{mgather}, evex | suffixSD | vsib | element | readOnly},
		6: {"vscatterpf1dp", operands{mgather}, evex | suffixSD | vsib | element | readOnly},
	},
	gGatherPrefetchQ - gGeneral: {
		1: {"vgatherpf0qp", operands{mgather}, evex | suffixSD | vsib | element | readOnly},
		2: {"vgatherpf1qp", operands{mgather}, evex | suffixSD | vsib | element | readOnly},
		5: {"vscatterpf0qp", operands{mgather}, evex | suffixSD | vsib | element | readOnly},
		6: {"vscatterpf1qp", operands{mgather}, evex | suffixSD | vsib | element | readOnly},
	},

	// FMA4: W says which of the two sources may be memory.
	gFMA4 + 0 - gGeneral:  {{"vfmaddsubps", operands{vx, hx, wx, lx}, 0}, {"vfmaddsubps", operands{vx, hx, lx, wx}, 0}},
	gFMA4 + 1 - gGeneral:  {{"vfmaddsubpd", operands{vx, hx, wx, lx}, 0}, {"vfmaddsubpd", operands{vx, hx, lx, wx}, 0}},
	gFMA4 + 2 - gGeneral:  {{"vfmsubaddps", operands{vx, hx, wx, lx}, 0}, {"vfmsubaddps", operands{vx, hx, lx, wx}, 0}},
	gFMA4 + 3 - gGeneral:  {{"vfmsubaddpd", operands{vx, hx, wx, lx}, 0}, {"vfmsubaddpd", operands{vx, hx, lx, wx}, 0}},
	gFMA4 + 4 - gGeneral:  {{"vfmaddps", operands{vx, hx, wx, lx}, 0}, {"vfmaddps", operands{vx, hx, lx, wx}, 0}},
	gFMA4 + 5 - gGeneral:  {{"vfmaddpd", operands{vx, hx, wx, lx}, 0}, {"vfmaddpd", operands{vx, hx, lx, wx}, 0}},
	gFMA4 + 6 - gGeneral:  {{"vfmaddss", operands{vdq, hdq, wd, ldq}, 0}, {"vfmaddss", operands{vdq, hdq, ldq, wd}, 0}},
	gFMA4 + 7 - gGeneral:  {{"vfmaddsd", operands{vdq, hdq, wq, ldq}, 0}, {"vfmaddsd", operands{vdq, hdq, ldq, wq}, 0}},
	gFMA4 + 8 - gGeneral:  {{"vfmsubps", operands{vx, hx, wx, lx}, 0}, {"vfmsubps", operands{vx, hx, lx, wx}, 0}},
	gFMA4 + 9 - gGeneral:  {{"vfmsubpd", operands{vx, hx, wx, lx}, 0}, {"vfmsubpd", operands{vx, hx, lx, wx}, 0}},
	gFMA4 + 10 - gGeneral: {{"vfmsubss", operands{vdq, hdq, wd, ldq}, 0}, {"vfmsubss", operands{vdq, hdq, ldq, wd}, 0}},
	gFMA4 + 11 - gGeneral: {{"vfmsubsd", operands{vdq, hdq, wq, ldq}, 0}, {"vfmsubsd", operands{vdq, hdq, ldq, wq}, 0}},
	gFMA4 + 12 - gGeneral: {{"vfnmaddps", operands{vx, hx, wx, lx}, 0}, {"vfnmaddps", operands{vx, hx, lx, wx}, 0}},
	gFMA4 + 13 - gGeneral: {{"vfnmaddpd", operands{vx, hx, wx, lx}, 0}, {"vfnmaddpd", operands{vx, hx, lx, wx}, 0}},
	gFMA4 + 14 - gGeneral: {{"vfnmaddss", operands{vdq, hdq, wd, ldq}, 0}, {"vfnmaddss", operands{vdq, hdq, ldq, wd}, 0}},
	gFMA4 + 15 - gGeneral: {{"vfnmaddsd", operands{vdq, hdq, wq, ldq}, 0}, {"vfnmaddsd", operands{vdq, hdq, ldq, wq}, 0}},
	gFMA4 + 16 - gGeneral: {{"vfnmsubps", operands{vx, hx, wx, lx}, 0}, {"vfnmsubps", operands{vx, hx, lx, wx}, 0}},
	gFMA4 + 17 - gGeneral: {{"vfnmsubpd", operands{vx, hx, wx, lx}, 0}, {"vfnmsubpd", operands{vx, hx, lx, wx}, 0}},
	gFMA4 + 18 - gGeneral: {{"vfnmsubss", operands{vdq, hdq, wd, ldq}, 0}, {"vfnmsubss", operands{vdq, hdq, ldq, wd}, 0}},
	gFMA4 + 19 - gGeneral: {{"vfnmsubsd", operands{vdq, hdq, wq, ldq}, 0}, {"vfnmsubsd", operands{vdq, hdq, ldq, wq}, 0}},
}
