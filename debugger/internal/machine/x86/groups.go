package x86

// Numbers of the groups.
const (
	gNone attr = iota
	gArith
	gShift
	gMoveImmByte
	gMoveImm
	gUnaryByte
	gUnary
	gIncByte
	gInc
	gPop
	gNop
	gPause
	gDescriptor
	gSystem
	gSystemMem
	gSystemReg
	gSystemVM
	gSystemMonitor
	gSystemXCR
	gSystemSVM
	gSystemKeys
	gSystemExtra
	gSystemF3
	gSystemMemF3
	gSystemRegF3
	gSystemShadow
	gSystemRegF2
	gSystemTrack
	gPrefetchOrNop
	gPrefetch
	gPrefetchW
	gHintOrNop
	gHint
	gCET
	gCETReg
	gEndbr
	gBitImm
	gState
	gStateMem
	gStateReg
	gState66
	gStateMem66
	gStateReg66
	gStateF3
	gStateMemF3
	gStateRegF3
	gStateRegF2
	gExchange
	gExchangeMem
	gExchangeReg
	gExchange66
	gExchangeMem66
	gExchangeF3
	gExchangeMemF3
	gExchangeRegF3
	gGeneral // first of simdGroups
)

// groups has the rows that a selecting row leads to, of the general
// instructions and those of the system.
var groups = [gGeneral][8]row{
	gArith: {
		{"add", operands{}, 0},
		{"or", operands{}, 0},
		{"adc", operands{}, 0},
		{"sbb", operands{}, 0},
		{"and", operands{}, 0},
		{"sub", operands{}, 0},
		{"xor", operands{}, 0},
		{"cmp", operands{}, readOnly},
	},
	gShift: {
		{"rol", operands{}, 0},
		{"ror", operands{}, 0},
		{"rcl", operands{}, 0},
		{"rcr", operands{}, 0},
		{"shl", operands{}, 0},
		{"shr", operands{}, 0},
		{"shl", operands{}, 0},
		{"sar", operands{}, 0},
	},
	gMoveImmByte: {0: {"mov", operands{}, 0}, 7: {"xabort", operands{ib}, 0}},
	gMoveImm:     {0: {"mov", operands{}, 0}, 7: {"xbegin", operands{jz}, jumpCond | f64}},
	gUnaryByte: {
		{"test", operands{eb, ib}, readOnly},
		{"test", operands{eb, ib}, readOnly},
		{"not", operands{}, 0},
		{"neg", operands{}, 0},
		{"mul", operands{}, readOnly},
		{"imul", operands{}, readOnly},
		{"div", operands{}, readOnly},
		{"idiv", operands{}, readOnly},
	},
	gUnary: {
		{"test", operands{ev, iz}, readOnly},
		{"test", operands{ev, iz}, readOnly},
		{"not", operands{}, 0},
		{"neg", operands{}, 0},
		{"mul", operands{}, readOnly},
		{"imul", operands{}, readOnly},
		{"div", operands{}, readOnly},
		{"idiv", operands{}, readOnly},
	},
	gIncByte: {{"inc", operands{}, 0}, {"dec", operands{}, 0}},
	gInc: {
		{"inc", operands{}, 0},
		{"dec", operands{}, 0},
		{"call", operands{}, call | pushes | readOnly | f64},
		{"callf", operands{mp}, call | pushes | readOnly},
		{"jmp", operands{}, jump | readOnly | f64},
		{"jmpf", operands{mp}, jump | readOnly},
		{"push", operands{}, pushes | readOnly | def64},
	},
	gPop:   {0: {"pop", operands{}, popsMem | def64}},
	gPause: {{"nop", operands{}, 0}, {"nop", operands{}, 0}, {"pause", operands{}, 0}, {"nop", operands{}, 0}},
	gNop:   {{"", operands{}, byPP | gPause}, {"xchg", operands{zv, regA}, 0}},

	gDescriptor: {
		{"sldt", operands{eseg}, 0},
		{"str", operands{eseg}, 0},
		{"lldt", operands{ew}, privileged | readOnly},
		{"ltr", operands{ew}, privileged | readOnly},
		{"verr", operands{ew}, readOnly},
		{"verw", operands{ew}, readOnly},
	},
	gSystem: {{"", operands{}, byReg | gSystemMem}, {"", operands{}, byReg | gSystemReg}},
	gSystemMem: {
		0: {"sgdt", operands{mt}, opaque},
		1: {"sidt", operands{mt}, opaque},
		2: {"lgdt", operands{mt}, opaque | privileged | readOnly},
		3: {"lidt", operands{mt}, opaque | privileged | readOnly},
		4: {"smsw", operands{eseg}, 0},
		6: {"lmsw", operands{ew}, privileged | readOnly},
		7: {"invlpg", operands{mb}, privileged | readOnly},
	},
	gSystemReg: {
		{"", operands{}, byRM | gSystemVM},
		{"", operands{}, byRM | gSystemMonitor},
		{"", operands{}, byRM | gSystemXCR},
		{"", operands{}, byRM | gSystemSVM},
		{"smsw", operands{eseg}, 0},
		{"", operands{}, byRM | gSystemKeys},
		{"lmsw", operands{ew}, privileged | readOnly},
		{"", operands{}, byRM | gSystemExtra},
	},
	gSystemVM: {
		0: {"enclv", operands{}, privileged | barrier},
		1: {"vmcall", operands{}, barrier},
		2: {"vmlaunch", operands{}, privileged | barrier},
		3: {"vmresume", operands{}, privileged | barrier},
		4: {"vmxoff", operands{}, privileged | barrier},
		5: {"pconfig", operands{}, privileged | barrier},
	},
	gSystemMonitor: {
		0: {"monitor", operands{}, privileged},
		1: {"mwait", operands{}, privileged},
		2: {"clac", operands{}, privileged},
		3: {"stac", operands{}, privileged},
		7: {"encls", operands{}, privileged | barrier},
	},
	gSystemXCR: {
		0: {"xgetbv", operands{}, 0},
		1: {"xsetbv", operands{}, privileged},
		4: {"vmfunc", operands{}, barrier},
		5: {"xend", operands{}, 0},
		6: {"xtest", operands{}, 0},
		7: {"enclu", operands{}, barrier},
	},
	gSystemSVM: {
		{"vmrun", operands{}, privileged | barrier},
		{"vmmcall", operands{}, barrier},
		{"vmload", operands{}, privileged | barrier},
		{"vmsave", operands{}, privileged | barrier},
		{"stgi", operands{}, privileged},
		{"clgi", operands{}, privileged},
		{"skinit", operands{}, privileged | barrier},
		{"invlpga", operands{}, privileged},
	},
	gSystemKeys: {
		0: {"serialize", operands{}, 0},
		6: {"rdpkru", operands{}, 0},
		7: {"wrpkru", operands{}, touchesFP},
	},
	gSystemExtra: {
		0: {"swapgs", operands{}, privileged},
		1: {"rdtscp", operands{}, 0},
		2: {"monitorx", operands{}, 0},
		3: {"mwaitx", operands{}, 0},
		4: {"clzero", operands{}, barrier},
		5: {"rdpru", operands{}, 0},
		6: {"invlpgb", operands{}, privileged},
		7: {"tlbsync", operands{}, privileged},
	},
	gSystemF3:    {{"", operands{}, byReg | gSystemMemF3}, {"", operands{}, byReg | gSystemRegF3}},
	gSystemMemF3: {5: {"rstorssp", operands{mq}, barrier}},
	gSystemRegF3: {
		5: {"", operands{}, byRM | gSystemShadow},
		// A prefix that means nothing is common before these.
		2: {"", operands{}, byRM | gSystemXCR},
		7: {"", operands{}, byRM | gSystemExtra},
	},
	gSystemShadow: {
		0: {"setssbsy", operands{}, privileged | barrier},
		2: {"saveprevssp", operands{}, barrier},
		4: {"uiret", operands{}, barrier},
		5: {"testui", operands{}, 0},
		6: {"clui", operands{}, 0},
		7: {"stui", operands{}, 0},
	},
	gSystemRegF2: {5: {"", operands{}, byRM | gSystemTrack}},
	gSystemTrack: {0: {"xsusldtrk", operands{}, 0}, 1: {"xresldtrk", operands{}, 0}},

	gPrefetchOrNop: {{"", operands{}, byReg | gPrefetch}, {"nop", operands{ev}, readOnly}},
	gPrefetch: {
		{"prefetchnta", operands{mb}, readOnly},
		{"prefetcht0", operands{mb}, readOnly},
		{"prefetcht1", operands{mb}, readOnly},
		{"prefetcht2", operands{mb}, readOnly},
		{"nop", operands{ev}, readOnly},
		{"nop", operands{ev}, readOnly},
		{"nop", operands{ev}, readOnly},
		{"nop", operands{ev}, readOnly},
	},
	gPrefetchW: {
		{"prefetch", operands{mb}, readOnly},
		{"prefetchw", operands{mb}, readOnly},
		{"prefetchwt1", operands{mb}, readOnly},
		{"prefetch", operands{mb}, readOnly},
		{"prefetch", operands{mb}, readOnly},
		{"prefetch", operands{mb}, readOnly},
		{"prefetch", operands{mb}, readOnly},
		{"prefetch", operands{mb}, readOnly},
	},
	gHintOrNop: {{"", operands{}, byReg | gHint}, {"nop", operands{ev}, readOnly}},
	gHint: {
		{"cldemote", operands{eb}, readOnly},
		{"nop", operands{ev}, readOnly},
		{"nop", operands{ev}, readOnly},
		{"nop", operands{ev}, readOnly},
		{"nop", operands{ev}, readOnly},
		{"nop", operands{ev}, readOnly},
		{"nop", operands{ev}, readOnly},
		{"nop", operands{ev}, readOnly},
	},
	gCET: {{"nop", operands{ev}, readOnly}, {"", operands{}, byReg | gCETReg}},
	gCETReg: {
		0: {"nop", operands{ev}, readOnly},
		1: {"rdsspd/rdsspq", operands{eu}, nameW},
		2: {"nop", operands{ev}, readOnly},
		3: {"nop", operands{ev}, readOnly},
		4: {"nop", operands{ev}, readOnly},
		5: {"nop", operands{ev}, readOnly},
		6: {"nop", operands{ev}, readOnly},
		7: {"", operands{ev}, byRM | gEndbr},
	},
	gEndbr: {
		0: {"nop", operands{}, readOnly}, 1: {"nop", operands{}, readOnly},
		2: {"endbr64", operands{}, hideOps | readOnly}, 3: {"endbr32", operands{}, hideOps | readOnly},
		4: {"nop", operands{}, readOnly}, 5: {"nop", operands{}, readOnly},
		6: {"nop", operands{}, readOnly}, 7: {"nop", operands{}, readOnly},
	},
	gBitImm: {
		4: {"bt", operands{}, readOnly},
		5: {"bts", operands{}, 0},
		6: {"btr", operands{}, 0},
		7: {"btc", operands{}, 0},
	},

	gState: {{"", operands{}, byReg | gStateMem}, {"", operands{}, byReg | gStateReg}},
	gStateMem: {
		{"fxsave/fxsave64", operands{mfx}, nameW | noVEX},
		{"fxrstor/fxrstor64", operands{mfx}, nameW | noVEX | readOnly | touchesFP},
		{"ldmxcsr", operands{md}, readOnly | touchesFP},
		{"stmxcsr", operands{md}, 0},
		{"xsave/xsave64", operands{mxs}, nameW | noVEX},
		{"xrstor/xrstor64", operands{mxs}, nameW | noVEX | readOnly | touchesFP},
		{"xsaveopt/xsaveopt64", operands{mxs}, nameW | noVEX},
		{"clflush", operands{mb}, readOnly | noVEX},
	},
	gStateReg: {
		5: {"lfence", operands{}, noVEX},
		6: {"mfence", operands{}, noVEX},
		7: {"sfence", operands{}, noVEX},
	},
	gState66:    {{"", operands{}, byReg | gStateMem66}, {"", operands{}, byReg | gStateReg66}},
	gStateMem66: {6: {"clwb", operands{mb}, readOnly | noVEX}, 7: {"clflushopt", operands{mb}, readOnly | noVEX}},
	gStateReg66: {6: {"tpause", operands{ed}, readOnly | noVEX}},
	gStateF3:    {{"", operands{}, byReg | gStateMemF3}, {"", operands{}, byReg | gStateRegF3}},
	gStateMemF3: {
		4: {"ptwrite", operands{eu}, readOnly | noVEX},
		6: {"clrssbsy", operands{mq}, privileged | barrier | noVEX},
	},
	gStateRegF3: {
		0: {"rdfsbase", operands{eu}, noVEX},
		1: {"rdgsbase", operands{eu}, noVEX},
		2: {"wrfsbase", operands{eu}, readOnly | noVEX},
		3: {"wrgsbase", operands{eu}, readOnly | noVEX},
		4: {"ptwrite", operands{eu}, readOnly | noVEX},
		5: {"incsspd/incsspq", operands{eu}, nameW | readOnly | barrier | noVEX},
		6: {"umonitor", operands{eq}, readOnly | noVEX},
	},
	gStateRegF2: {6: {"umwait", operands{ed}, readOnly | noVEX}},

	gExchange: {{"", operands{}, byReg | gExchangeMem}, {"", operands{}, byReg | gExchangeReg}},
	gExchangeMem: {
		1: {"cmpxchg8b/cmpxchg16b", operands{myy}, nameW},
		3: {"xrstors/xrstors64", operands{mxs}, nameW | readOnly | touchesFP | privileged},
		4: {"xsavec/xsavec64", operands{mxs}, nameW},
		5: {"xsaves/xsaves64", operands{mxs}, nameW | privileged},
		6: {"vmptrld", operands{mq}, readOnly | privileged},
		7: {"vmptrst", operands{mq}, privileged},
	},
	gExchangeReg: {6: {"rdrand", operands{ev}, 0}, 7: {"rdseed", operands{ev}, 0}},
	gExchange66:  {{"", operands{}, byReg | gExchangeMem66}, {"", operands{}, byReg | gExchangeReg}},
	gExchangeMem66: {
		1: {"cmpxchg8b/cmpxchg16b", operands{myy}, nameW},
		6: {"vmclear", operands{mq}, privileged},
	},
	gExchangeF3:    {{"", operands{}, byReg | gExchangeMemF3}, {"", operands{}, byReg | gExchangeRegF3}},
	gExchangeMemF3: {1: {"cmpxchg8b/cmpxchg16b", operands{myy}, nameW}, 6: {"vmxon", operands{mq}, readOnly | privileged}},
	gExchangeRegF3: {6: {"senduipi", operands{eq}, readOnly | barrier}, 7: {"rdpid", operands{eq}, 0}},
}
