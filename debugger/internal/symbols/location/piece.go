package location

// A Kind says what a piece is.
type Kind uint8

// The kinds of pieces.
const (
	Empty      Kind = iota // optimized out
	InMemory               // at Addr
	InRegister             // in register Reg
	IsValue                // Value itself; it is nowhere
	IsBytes                // Data itself
	IsPointer              // a pointer to Offset bytes into what entry DIE describes, which has no address
)

// A Piece is where one part of an object is.
type Piece struct {
	Kind  Kind
	Addr  uint64
	Reg   uint64
	Value uint64
	Data  []byte

	DIE    uint64 // IsPointer: offset of the entry in .debug_info
	Offset int64

	// Bits is the piece's size, 0 for a piece that is the whole object, and
	// BitOffset where it begins in the place.
	Bits, BitOffset uint64
}
