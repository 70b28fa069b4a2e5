package dwarfread

import (
	"debug/dwarf"
	"log/slog"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
)

// Info is the debug information of one file. The fields below mu are read on
// first use, one unit at a time.
type Info struct {
	log *slog.Logger // includes the name of the file

	meter // guarded by mu

	mu        sync.Mutex // guards data, which is not safe for concurrent use, and everything read from it
	data      *dwarf.Data
	units     []*Unit // by offset
	ranges    []unitRange
	ranged    bool
	next      int // number of units that LoadAll has read
	names     map[string][]*Subprogram
	global    map[string][]*Variable
	goType    map[uint64]dwarf.Offset // types by the address of Go's run-time type descriptor
	tables    map[uint64]dwarf.Offset // types by the address of their Rust vtable
	named     map[string]dwarf.Offset // types with a definition, by qualified name
	constants map[string][]constant   // by qualified name
	sigs      map[uint64]dwarf.Offset // types that have a definition, by qualified name
	typesAt   int                     // offset where the units of DWARF 4's .debug_types begin

	addr       []byte        // .debug_addr
	ranges4    []byte        // .debug_ranges (DWARF 4)
	splitLists []byte        // .debug_loc.dwo of all files (GNU's form of DWARF 4)
	lists      func() []byte // reads .debug_loc (DWARF 4) on first use
	list5      func() []byte // reads .debug_loclists (DWARF 5) on first use
}

// A unitRange is a range of code that belongs to a unit.
type unitRange struct {
	start, end uint64
	unit       *Unit
}

// A Unit is a compilation unit or a type unit. HeadLocked sets the fields from
// entry on, load those from loaded on.
type Unit struct {
	Info    *Info
	Offset  dwarf.Offset // of the header
	die     dwarf.Offset // of the first entry
	end     dwarf.Offset
	version int
	is64    bool

	skeletal    bool       // a skeleton of DWARF 5
	id          uint64     // of a skeleton of DWARF 5
	split       *splitPart // set if the unit is from another file
	replacement *Unit      // of a skeleton: the unit from the other file

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
	functions []*Subprogram // ordered by start
	globals   []*Variable
	scopes    map[dwarf.Offset]string // qualifiers of names, such as "app::", by the offset of the entry that encloses them
	optimized bool                    // at least one variable has a location list

	lines *LineTable
}

// A Subprogram is a function that has code.
type Subprogram struct {
	Unit        *Unit
	Entry       *dwarf.Entry
	Name        string // qualified
	LinkageName string
	ranges      [][2]uint64 // addresses of the file
	tree        *Scope      // nil until it is read
}

// A Scope is a function, an inlined function, or a block.
type Scope struct {
	tag       dwarf.Tag
	ranges    [][2]uint64
	children  []*Scope
	Variables []*Variable
	calls     []CallSite

	// Set for an inlined function only:
	Name     string
	origin   dwarf.Offset
	callFile string
	callLine int
}

// A CallSite is a call described by the debug information (DWARF 5 section 3.4).
type CallSite struct {
	Return     uint64 // return address; 0 if the compiler emits only Call
	Call       uint64 // address of the call instruction; 0 if the compiler emits only Return
	TailCall   bool   // the call is a jump that discards the caller's frame
	Target     string // linker or source name of the callee; "" if its address is computed
	TargetExpr []byte // computes the address of the callee if Target is ""
	Params     []CallParam
}

// A CallParam is an argument: its register or memory location, and an expression
// that computes its value in the caller.
type CallParam struct{ Location, Value []byte }

// A Variable is a variable or parameter.
type Variable struct {
	Unit     *Unit
	Entry    *dwarf.Entry
	Name     string
	Argument bool
	Type     dwarf.Offset
	HasType  bool
	Line     int
	// Placeless means that a global variable has neither a location nor a value: the
	// compiler has removed it, or another entry says where it is.
	Placeless bool
}

// A LineTable is the line table of one unit.
type LineTable struct {
	rows  []lineRow // ordered by address; the last of several rows at one address applies
	files []string  // absolute paths
}

// A lineRow is a row of the line number matrix (DWARF 5 section 6.2) with an
// address of the file. It applies up to the next row.
type lineRow struct {
	addr     uint64
	line     uint32
	file     uint32
	stmt     bool
	prologue bool // the prologue ends here
	end      bool // this is the address after a sequence
}
