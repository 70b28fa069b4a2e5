package location

// A Kind is the sort of a piece.
type Kind uint8

// The kinds of pieces.
const (
	Empty      Kind = iota // optimized out
	InMemory               // at Addr
	InRegister             // in register Reg
	IsValue                // the value is Value
	IsBytes                // the value is Data
	IsPointer              // a pointer to Offset bytes into what entry DIE describes, which has no address
)

// A Piece locates one part of an object.
type Piece struct {
	Kind  Kind
	Addr  uint64
	Reg   uint64
	Value uint64
	Data  []byte

	DIE    uint64 // IsPointer: offset of the entry in .debug_info
	Offset int64

	// Bits is the piece's size, 0 for a piece that is the whole object.
	// BitOffset is its offset in the place.
	Bits, BitOffset uint64
}
