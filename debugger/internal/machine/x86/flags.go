package x86

// Bits of RFLAGS.
const (
	CarryFlag     = 1 << 0
	ParityFlag    = 1 << 2
	AdjustFlag    = 1 << 4
	ZeroFlag      = 1 << 6
	SignFlag      = 1 << 7
	DirectionFlag = 1 << 10
	OverflowFlag  = 1 << 11

	// ArithmeticFlags is the set of flags that arithmetic changes.
	ArithmeticFlags = CarryFlag | ParityFlag | AdjustFlag | ZeroFlag | SignFlag | OverflowFlag
)
