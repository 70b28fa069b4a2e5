package bugs

import "github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"

// rustRules holds the rules for Rust.
var rustRules = []rule{
	{id: "rust-unreachable-unchecked", kind: WildPointer, families: []syntax.Family{syntax.RustFamily}, sure: 70, first: "unreachable_unchecked ( )", because: "this must not be reached, or anything may happen"},
	{
		id: "rust-null-pointer", kind: NullDereference, families: []syntax.Family{syntax.RustFamily}, sure: 80,
		first: "$p = std :: ptr :: null|null_mut", then: []string{"* $p", "$p . as_ref|read|write"}, unless: []string{"$p = %name", "$p . is_null"}, because: "the pointer is null and followed",
	},
	{
		id: "rust-neighbour", kind: OutOfBounds, families: []syntax.Family{syntax.RustFamily}, sure: 60,
		first: "$x [ $n + 1 ]", unless: append([]string{"$x . len ( ) - 1", "$n + 1 <|<=|>|>="}, bounded...), because: "the neighbour may lie behind the end",
	},
	{id: "rust-index-length", kind: OffByOne, families: []syntax.Family{syntax.RustFamily}, sure: 95, first: "$x [ $x . len ( ) ]", because: "the last element is one before the length"},
	{id: "rust-copy", kind: BufferOverflow, families: []syntax.Family{syntax.RustFamily}, sure: 65, first: "ptr :: copy|copy_nonoverlapping (", because: "the length of the copy is believed as it is"},
	{id: "rust-transmute", kind: BadConversion, families: []syntax.Family{syntax.RustFamily}, sure: 65, first: "transmute (", because: "the bits are believed to be of the other type"},
	{
		id: "rust-box-twice", kind: DoubleFree, families: []syntax.Family{syntax.RustFamily}, sure: 85,
		first: "Box :: from_raw ( $p )", then: []string{"Box :: from_raw ( $p )"}, unless: []string{"$p ="}, because: "two boxes own the same memory",
	},
	{
		id: "rust-box-then-pointer", kind: UseAfterFree, families: []syntax.Family{syntax.RustFamily}, sure: 75,
		first: "drop ( Box :: from_raw ( $p ) )", then: []string{"* $p", "$p .", "( $p )"}, unless: []string{"$p =", "Box :: from_raw"}, because: "the memory was given back before",
	},
	{
		id: "rust-dealloc", kind: UseAfterFree, families: []syntax.Family{syntax.RustFamily}, sure: 80,
		first: "dealloc ( $p ,", then: []string{"* $p", "$p .", "( $p )"}, unless: []string{"$p ="}, because: "the memory was given back before",
	},
	{id: "rust-pointer-of-temporary", kind: DanglingPointer, families: []syntax.Family{syntax.RustFamily}, sure: 90, first: "CString :: new ( ... ) . unwrap ( ) . as_ptr ( )", because: "the text is gone after the statement"},
	{id: "rust-assume-init", kind: Uninitialised, families: []syntax.Family{syntax.RustFamily}, sure: 85, first: "uninit ( ) . assume_init ( )", because: "the value was never set"},
	{id: "rust-static-mut", kind: DataRace, families: []syntax.Family{syntax.RustFamily}, sure: 75, first: "static mut", because: "every thread may change it at any time"},
}
