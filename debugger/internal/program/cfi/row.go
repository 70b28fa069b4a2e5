package cfi

// Numbers of registers in the DWARF numbering of the System V ABI for AMD64
// (version 1.0, figure 3.36).
const (
	RBP = 6
	RSP = 7
	RA  = 16 // the return address column

	// Columns is the number of registers with a rule in a row: the sixteen
	// general ones and the return address. Rules for others are ignored.
	Columns = 17
)

// A Kind is the method by which a rule finds a value (DWARF 5 section 6.4.1).
type Kind uint8

// Kinds of rules.
const (
	Unspecified   Kind = iota // nothing is said; the ABI decides
	Undefined                 // the value is lost
	SameValue                 // the register was not touched
	AtOffset                  // in memory at CFA + Offset
	IsOffset                  // the value is CFA + Offset
	InRegister                // in register Reg; for the CFA: Reg + Offset
	AtExpression              // in memory at the result of Expr
	IsExpression              // the value is the result of Expr
	cfaExpression = IsExpression
)

// A Rule finds one value.
type Rule struct {
	Kind   Kind
	Reg    uint16
	Offset int64
	Expr   []byte // a DWARF expression; belongs to the section, not to be changed
}

// A Row holds the rules at one address.
type Row struct {
	CFA    Rule // InRegister (plus Offset) or IsExpression
	Reg    [Columns]Rule
	Ret    uint8 // the column of the return address
	Signal bool  // a signal frame: its return address is exact, not behind a call

	Start, End uint64 // the function's range in the file's addresses
}
