package bugs

import "github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"

// rustRules holds the rules for Rust.
var rustRules = []rule{
	{id: "rust-unwrap", kind: UnwrapFailure, families: []syntax.Family{syntax.RustFamily}, sure: 65, first: ". unwrap ( )", because: "unwrap panics when there is no value"},
	{id: "rust-expect", kind: UnwrapFailure, families: []syntax.Family{syntax.RustFamily}, sure: 55, first: ". expect ( %str )", because: "expect panics when there is no value"},
	{id: "rust-unwrap-error", kind: UnwrapFailure, families: []syntax.Family{syntax.RustFamily}, sure: 60, first: ". unwrap_err|expect_err (", because: "unwrap_err panics when there is a value"},
	{id: "rust-unwrap-unchecked", kind: WildPointer, families: []syntax.Family{syntax.RustFamily}, sure: 80, first: ". unwrap_unchecked ( )", because: "there must be a value, or anything may happen"},
	{id: "rust-unreachable-unchecked", kind: WildPointer, families: []syntax.Family{syntax.RustFamily}, sure: 70, first: "unreachable_unchecked ( )", because: "this must not be reached, or anything may happen"},
	{id: "rust-panic", kind: FailedAssertion, families: []syntax.Family{syntax.RustFamily}, sure: 55, first: "panic|todo|unimplemented|unreachable !", because: "the program gives up here"},
	{id: "rust-assertion", kind: FailedAssertion, families: []syntax.Family{syntax.RustFamily}, sure: 45, first: "^ assert|assert_eq|assert_ne ! (", because: "the program gives up here when the assertion does not hold"},
	{id: "rust-borrowed-twice", kind: FailedAssertion, families: []syntax.Family{syntax.RustFamily}, sure: 45, first: ". borrow_mut ( )", because: "a second borrow of the cell panics"},
	{
		id: "rust-raw-pointer", kind: NullDereference, families: []syntax.Family{syntax.RustFamily}, sure: 70,
		first: "unsafe {", then: []string{"( * $p ) .", "= * $p %stop", "^ * $p =", "& * $p", "& mut * $p"},
		unless: []string{"%name . is_null ( )", "}"}, because: "the raw pointer is followed without a check",
	},
	{
		id: "rust-null-pointer", kind: NullDereference, families: []syntax.Family{syntax.RustFamily}, sure: 80,
		first: "$p = std :: ptr :: null|null_mut", then: []string{"* $p", "$p . as_ref|read|write"}, unless: []string{"$p = %name", "$p . is_null"}, because: "the pointer is null and followed",
	},
	{id: "rust-get-unchecked", kind: OutOfBounds, families: []syntax.Family{syntax.RustFamily}, sure: 80, first: ". get_unchecked|get_unchecked_mut (", because: "the index is not checked"},
	{
		id: "rust-first-unchecked", kind: OutOfBounds, families: []syntax.Family{syntax.RustFamily}, sure: 55,
		first: "$x [ 0 ]", unless: []string{"$x . len ( )", "$x . is_empty ( )", "$x = vec !", "$x = ["}, because: "it is not checked that there is a first element",
	},
	{
		id: "rust-index-unchecked", kind: OutOfBounds, families: []syntax.Family{syntax.RustFamily}, sure: 50,
		first: "$x [ $n ]", unless: append([]string{"$x . len ( )", "for $n in", "$n % ", "[ $n ]", "enumerate"}, bounded...), because: "the index is compared with no limit",
	},
	{
		id: "rust-neighbour", kind: OutOfBounds, families: []syntax.Family{syntax.RustFamily}, sure: 60,
		first: "$x [ $n + 1 ]", unless: append([]string{"$x . len ( ) - 1", "$n + 1 <|<=|>|>="}, bounded...), because: "the neighbour may lie behind the end",
	},
	{
		id: "rust-slice-unchecked", kind: OutOfBounds, families: []syntax.Family{syntax.RustFamily}, sure: 55,
		first: "& $x [ ... .. ... ]", unless: []string{"$x . len ( ) <|<=|>|>=", "<|<=|>|>= $x . len", "$x . is_empty"}, because: "the range is compared with no limit",
	},
	{id: "rust-loop-to-length", kind: OffByOne, families: []syntax.Family{syntax.RustFamily}, sure: 85, first: "..= $x . len ( )", because: "the range runs one further than the last element"},
	{id: "rust-index-length", kind: OffByOne, families: []syntax.Family{syntax.RustFamily}, sure: 95, first: "$x [ $x . len ( ) ]", because: "the last element is one before the length"},
	{
		id: "rust-length-minus", kind: IntegerOverflow, families: []syntax.Family{syntax.RustFamily}, sure: 65,
		first: "$x . len ( ) - ", unless: []string{"$x . is_empty ( )", "$x . len ( ) >|>=|==|!=|<|<="}, because: "the length is unsigned, and may be zero",
	},
	{id: "rust-narrowed", kind: IntegerOverflow, families: []syntax.Family{syntax.RustFamily}, sure: 45, first: "as u8|i8|u16|i16|u32|i32", because: "the conversion cuts off what does not fit"},
	{
		id: "rust-divided-by-length", kind: DivisionByZero, families: []syntax.Family{syntax.RustFamily}, sure: 75,
		first: "/|% $x . len ( )", unless: []string{"$x . is_empty ( )", "$x . len ( ) ==|!=|>"}, because: "the length may be zero",
	},
	{id: "rust-from-raw-parts", kind: BufferOverflow, families: []syntax.Family{syntax.RustFamily}, sure: 65, first: "from_raw_parts|from_raw_parts_mut (", because: "pointer and length are believed as they are"},
	{id: "rust-copy", kind: BufferOverflow, families: []syntax.Family{syntax.RustFamily}, sure: 65, first: "ptr :: copy|copy_nonoverlapping (", because: "the length of the copy is believed as it is"},
	{id: "rust-transmute", kind: BadConversion, families: []syntax.Family{syntax.RustFamily}, sure: 65, first: "transmute (", because: "the bits are believed to be of the other type"},
	{id: "rust-transmute-typed", kind: BadConversion, families: []syntax.Family{syntax.RustFamily}, sure: 65, first: "transmute :: <", because: "the bits are believed to be of the other type"},
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
	{id: "rust-set-length", kind: Uninitialised, families: []syntax.Family{syntax.RustFamily}, sure: 65, first: ". set_len (", because: "the new elements have no value yet"},
	{id: "rust-assume-init", kind: Uninitialised, families: []syntax.Family{syntax.RustFamily}, sure: 85, first: "uninit ( ) . assume_init ( )", because: "the value was never set"},
	{id: "rust-zeroed", kind: Uninitialised, families: []syntax.Family{syntax.RustFamily}, sure: 65, first: "mem :: zeroed|uninitialized (", because: "all zeros may be no value of the type"},
	{id: "rust-forget", kind: ResourceLeak, families: []syntax.Family{syntax.RustFamily}, sure: 55, first: "mem :: forget (", because: "nothing will release the value"},
	{id: "rust-leak", kind: ResourceLeak, families: []syntax.Family{syntax.RustFamily}, sure: 55, first: "Box :: leak|into_raw (", because: "nothing will release the value by itself"},
	{id: "rust-result-dropped", kind: UncheckedError, families: []syntax.Family{syntax.RustFamily}, sure: 60, first: "let _ = $f", because: "the result, and with it an error, is dropped"},
	{id: "rust-error-dropped", kind: UncheckedError, families: []syntax.Family{syntax.RustFamily}, sure: 60, first: ". ok ( ) ;", because: "the error is dropped"},
	{id: "rust-error-defaulted", kind: UncheckedError, families: []syntax.Family{syntax.RustFamily}, sure: 45, first: ". unwrap_or_default ( )", because: "a failure looks like an empty value"},
	{id: "rust-static-mut", kind: DataRace, families: []syntax.Family{syntax.RustFamily}, sure: 75, first: "static mut", because: "every thread may change it at any time"},
	{id: "rust-claimed-send", kind: DataRace, families: []syntax.Family{syntax.RustFamily}, sure: 70, first: "unsafe impl ... Send|Sync for", because: "that the type may be shared is only claimed"},
}
