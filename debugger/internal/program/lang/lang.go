package lang

// A Lang is the language that a unit was written in.
type Lang uint8

// The languages whose types and values are written each in its own way. Others are
// written as in C.
const (
	Unknown Lang = iota
	C
	CPlusPlus
	Rust
	Go
)

// String returns the language's name.
func (l Lang) String() string { return [...]string{"unknown", "C", "C++", "Rust", "Go"}[l] }

// languages are the codes of DWARF 5 table 7.17 and the later ones.
var languages = map[int64]Lang{
	0x01: C, 0x02: C, 0x0c: C, 0x1d: C, 0x2c: C, 0x3e: C,
	0x04: CPlusPlus, 0x18: CPlusPlus, 0x1a: CPlusPlus, 0x21: CPlusPlus, 0x2b: CPlusPlus, 0x3a: CPlusPlus,
	0x1c: Rust,
	0x16: Go,
}

// FromDWARF returns the language of a DW_AT_language code, Unknown for all others.
func FromDWARF(code int64) Lang { return languages[code] }
