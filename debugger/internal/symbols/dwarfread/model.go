package dwarfread

import (
	"debug/dwarf"
	"log/slog"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols/lang"
)

// Info is the debug information of one file. Everything below its lock is read
// when it is first needed, a unit at a time.
type Info struct {
	log *slog.Logger // names the file

	mu      sync.Mutex // guards data, which is not safe for concurrent use, and all that is read from it
	data    *dwarf.Data
	units   []*Unit // by offset
	ranges  []unitRange
	ranged  bool
	next    int // number of units that LoadAll has read
	names   map[string][]*Subprogram
	global  map[string][]*Variable
	goType  map[uint64]dwarf.Offset // Go's run-time type descriptors
	tables  map[uint64]dwarf.Offset // Rust's tables of methods: the entries of their types, by address
	named   map[string]dwarf.Offset // types with a definition, by qualified name
	sigs    map[uint64]dwarf.Offset // type units by signature; does not change once open
	typesAt int                     // offset at which the units of DWARF 4's .debug_types begin

	addr  []byte        // .debug_addr
	lists func() []byte // the location lists, .debug_loc, read when first needed
	list5 func() []byte // those of DWARF 5, .debug_loclists
}

// A unitRange is a range of code and its unit.
type unitRange struct {
	start, end uint64
	unit       *Unit
}

// A Unit is a compilation unit, or a type unit, of .debug_info. HeadLocked
// sets the fields from entry on, load those from loaded on.
type Unit struct {
	Info    *Info
	Offset  dwarf.Offset // of the header
	die     dwarf.Offset // of the first entry
	end     dwarf.Offset
	version int
	is64    bool

	headed   bool
	entry    *dwarf.Entry
	Lang     lang.Lang
	name     string
	dir      string
	producer string
	low      uint64
	addrBase int64
	locBase  int64

	loaded    bool
	functions []*Subprogram // by start
	globals   []*Variable
	scopes    map[dwarf.Offset]string // qualifiers of names in this unit, "app::", by entry
	optimized bool                    // some variable has a location list

	lines *LineTable
}

// A Subprogram is a function with code.
type Subprogram struct {
	Unit        *Unit
	Entry       *dwarf.Entry
	Name        string // qualified
	LinkageName string
	ranges      [][2]uint64 // in the file's addresses
	tree        *Scope      // nil until it is needed
}

// A Scope is a function, a function inlined into it, or a block.
type Scope struct {
	tag       dwarf.Tag
	ranges    [][2]uint64
	children  []*Scope
	Variables []*Variable
	calls     []CallSite

	// For what was inlined:
	Name     string
	origin   dwarf.Offset
	callFile string
	callLine int
}

// A CallSite is a call as debug information describes it (DWARF 5 section
// 3.4).
type CallSite struct {
	Return     uint64 // address behind the call; 0 where the compiler gives only Call
	Call       uint64 // address of the call itself; 0 where the compiler gives only Return
	TailCall   bool   // the call is a jump, and the function has no frame afterwards
	Target     string // linker's or plain name of the function called, empty when it is computed
	TargetExpr []byte // computes the function's address then
	Params     []CallParam
}

// A CallParam is an argument: the register or place it was passed in, and an
// expression of the caller that computes it.
type CallParam struct{ Location, Value []byte }

// A Variable is an entry of a variable or argument.
type Variable struct {
	Unit     *Unit
	Entry    *dwarf.Entry
	Name     string
	Argument bool
	Type     dwarf.Offset
	HasType  bool
	Line     int
}

// A LineTable is the lines of one unit.
type LineTable struct {
	rows  []lineRow // by address; of several at one address the last is valid
	files []string  // whole paths
}

// A lineRow is a row of the matrix of DWARF 5 section 6.2, in the file's
// addresses. It is valid up to the next row.
type lineRow struct {
	addr     uint64
	line     uint32
	file     uint32
	stmt     bool
	prologue bool // the prologue ends here
	end      bool // behind the last instruction of a sequence
}
