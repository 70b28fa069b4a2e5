package bugs

import "github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"

// checked lists the ways in which C code checks a pointer for null or replaces
// it.
var checked = []string{
	"if ( $p", "! $p", "$p ==|!=", "NULL|nullptr|0 ==|!= $p", "&& $p", "$p &&", "$p ?", "while ( $p",
	"assert|ASSERT|Assert|CHECK|BUG_ON|g_assert ( $p", "unlikely|likely ( ! $p", "unlikely|likely ( $p", "( $p ) ?", "$p = ",
}

// reset lists the ways in which a variable gets another value.
var reset = []string{"$p =", "& $p", "$p . reset|release ("}

// used lists the ways to follow a pointer and to pass it on.
var used = []string{"$p ->", "* $p", "$p [", "( $p )|,", ", $p )|,", "return $p ;"}

// bounded lists the ways to compare a number with a limit.
var bounded = []string{"$n <|<=|>|>=", "<|<=|>|>= $n", "min|MIN|std::min ( ... $n", "clamp ( $n"}

// cRules holds the rules for C, C++ and Objective-C.
var cRules = []rule{
	{
		id: "c-allocation-unchecked", kind: UncheckedAllocation, families: []syntax.Family{syntax.CFamily}, sure: 95,
		first:  "$p = malloc|calloc|realloc|strdup|strndup|aligned_alloc|kmalloc|kzalloc|g_try_malloc ( ... ) ;",
		then:   []string{"$p ->", "* $p =", "$p [", "memcpy|memset|memmove|strcpy|strncpy|strcat|sprintf|snprintf ( $p"},
		unless: checked, because: "the result of the allocation is used without a check",
	},
	{
		id: "c-cast-allocation-unchecked", kind: UncheckedAllocation, families: []syntax.Family{syntax.CFamily}, sure: 80,
		first:  "$p = ( ... ) malloc|calloc|realloc (",
		then:   []string{"$p ->", "* $p =", "$p [", "memcpy|memset|memmove|strcpy|strncpy|strcat|sprintf|snprintf ( $p"},
		unless: checked, because: "the result of the allocation is used without a check",
	},
	{
		id: "c-nullable-result-inline", kind: NullDereference, families: []syntax.Family{syntax.CFamily}, sure: 80,
		first: "getenv|strchr|strrchr|strstr|getpwnam|getpwuid|localtime|gmtime|bsearch ( ... ) ->", because: "the function may return a null pointer, which is followed at once",
	},
	{
		id: "c-getenv-argument", kind: NullDereference, families: []syntax.Family{syntax.CFamily}, sure: 80,
		first: "strlen|strcpy|strcmp|strdup|atoi|strcat|atol ( getenv ( ... )", because: "getenv returns a null pointer for a variable that is not set",
	},
	{
		id: "cpp-cast-unchecked", kind: NullDereference, families: []syntax.Family{syntax.CFamily}, sure: 80,
		first: "$p = dynamic_cast < ... >", then: []string{"$p ->", "* $p"},
		unless: checked, because: "dynamic_cast gives a null pointer for another type",
	},
	{
		id: "cpp-find-unchecked", kind: NullDereference, families: []syntax.Family{syntax.CFamily}, sure: 75,
		first: "$p = $m . find ( ... ) ;", then: []string{"$p ->", "* $p"},
		unless: append([]string{"if ( ... $p"}, checked...), because: "find gives the end when there is nothing, which must not be followed",
	},
	{
		id: "cpp-find-inline", kind: NullDereference, families: []syntax.Family{syntax.CFamily}, sure: 85,
		first: ". find ( ... ) -> first|second", because: "find gives the end when there is nothing, which must not be followed",
	},
	{
		id: "cpp-optional-unchecked", kind: UnwrapFailure, families: []syntax.Family{syntax.CFamily}, sure: 65,
		first: "$p . value ( )", unless: []string{"$p . has_value", "if ( $p", "! $p", "$p &&", "&& $p"}, because: "the optional may be empty",
	},
	{
		id: "c-index-from-input", kind: OutOfBounds, families: []syntax.Family{syntax.CFamily}, sure: 75,
		first: "$n = atoi|atol|strtol|strtoul|strtoull|getc|fgetc|getchar|ntohs|ntohl|be16toh|be32toh (",
		then:  []string{"[ $n ]"}, unless: bounded, because: "a number from outside is an index and is not compared with a limit",
	},
	{
		id: "c-index-after-end", kind: OffByOne, families: []syntax.Family{syntax.CFamily}, sure: 85,
		first: "$b [ sizeof ( $b ) ]", because: "the last element is one before the size",
	},
	{
		id: "c-loop-to-size", kind: OffByOne, families: []syntax.Family{syntax.CFamily}, sure: 80,
		first: "for ( ... ; $i <= sizeof|strlen|ARRAY_SIZE|_countof|countof", because: "the loop runs one further than the last element",
	},
	{
		id: "cpp-loop-to-size", kind: OffByOne, families: []syntax.Family{syntax.CFamily}, sure: 80,
		first: "for ( ... ; $i <= $v . size|length|count (", because: "the loop runs one further than the last element",
	},
	{
		id: "c-terminator-after-read", kind: OffByOne, families: []syntax.Family{syntax.CFamily}, sure: 80,
		first: "$n = read|recv|readlink|fread ( ... sizeof ( $b ) )|,", then: []string{"$b [ $n ] ="},
		because: "the terminator is written behind a buffer that was filled whole",
	},
	{id: "c-gets", kind: BufferOverflow, families: []syntax.Family{syntax.CFamily}, sure: 95, first: "^ gets ( $b )", because: "gets knows no limit"},
	{
		id: "c-print-unbounded", kind: BufferOverflow, families: []syntax.Family{syntax.CFamily}, sure: 50,
		first: "sprintf|vsprintf ( $b , %any , $s", because: "what is printed into the buffer has no limit",
	},
	{
		id: "c-append-size", kind: BufferOverflow, families: []syntax.Family{syntax.CFamily}, sure: 85,
		first: "strncat ( $d , $s , sizeof ( $d ) )", because: "the limit of strncat is the space that is left, not the buffer's size",
	},
	{
		id: "c-size-of-pointer", kind: BufferOverflow, families: []syntax.Family{syntax.CFamily}, sure: 85,
		first: "$p = malloc|calloc ( sizeof ( $p ) )", because: "the size is the pointer's, not that of what it points to",
	},
	{
		id: "c-no-terminator", kind: BufferOverflow, families: []syntax.Family{syntax.CFamily}, sure: 80,
		first: "malloc ( strlen ( $s ) )", because: "there is no room for the terminator",
	},
	{
		id: "c-use-after-free", kind: UseAfterFree, families: []syntax.Family{syntax.CFamily}, sure: 90,
		first: "free|kfree|g_free|xfree|vfree ( $p )", then: used, unless: append([]string{"free|kfree|g_free|xfree|vfree ( $p )"}, reset...), because: "the memory was given back before",
	},
	{
		id: "cpp-use-after-delete", kind: UseAfterFree, families: []syntax.Family{syntax.CFamily}, sure: 90,
		first: "delete $p ;", then: used, unless: append([]string{"delete $p"}, reset...), because: "the object was deleted before",
	},
	{
		id: "cpp-use-after-array-delete", kind: UseAfterFree, families: []syntax.Family{syntax.CFamily}, sure: 90,
		first: "delete [ ] $p ;", then: used, unless: append([]string{"delete [ ] $p"}, reset...), because: "the array was deleted before",
	},
	{
		id: "cpp-use-after-move", kind: UseAfterFree, families: []syntax.Family{syntax.CFamily}, sure: 70,
		first: "( std :: move ( $p ) ) ;", then: []string{"$p ->", "* $p", "$p . %name ("}, unless: []string{"$p =", "$p . reset|clear|assign"}, because: "the value was moved away before",
	},
	{
		id: "cpp-erased-in-loop", kind: UseAfterFree, families: []syntax.Family{syntax.CFamily}, sure: 80,
		first: "^ $v . erase ( $i ) ;", then: []string{"++ $i", "$i ++", "$i ->", "* $i"}, unless: []string{"$i ="}, because: "erase made the iterator invalid",
	},
	{
		id: "cpp-grown-in-loop", kind: UseAfterFree, families: []syntax.Family{syntax.CFamily}, sure: 75,
		first: "for ( ... : $v ) {", then: []string{"$v . push_back|emplace_back|insert|erase|clear|resize ("}, because: "the loop's iterators are invalid once the container changes",
	},
	{
		id: "c-double-free", kind: DoubleFree, families: []syntax.Family{syntax.CFamily}, sure: 90,
		first: "free|kfree|g_free|xfree|vfree ( $p )", then: []string{"free|kfree|g_free|xfree|vfree ( $p )"}, unless: reset, because: "the memory was given back before",
	},
	{
		id: "cpp-double-delete", kind: DoubleFree, families: []syntax.Family{syntax.CFamily}, sure: 90,
		first: "delete $p ;", then: []string{"delete $p ;"}, unless: reset, because: "the object was deleted before",
	},
	{
		id: "c-address-of-local", kind: DanglingPointer, families: []syntax.Family{syntax.CFamily}, sure: 85,
		first: "^ char|int|unsigned|uint8_t|long|double|float|wchar_t $x [ ... ]", then: []string{"return $x ;", "return & $x"}, because: "the local array ends with the function",
	},
	{
		id: "c-address-of-variable", kind: DanglingPointer, families: []syntax.Family{syntax.CFamily}, sure: 85,
		first: "^ %type $x", then: []string{"return & $x ;"}, because: "the local variable ends with the function",
	},
	{
		id: "cpp-text-of-temporary", kind: DanglingPointer, families: []syntax.Family{syntax.CFamily}, sure: 80,
		first: "$p = $f ( ... ) . c_str|data ( ) ;", because: "the text belongs to a temporary that is gone after the statement",
	},
	{
		id: "c-uninitialised-number", kind: Uninitialised, families: []syntax.Family{syntax.CFamily}, sure: 70,
		first: "^ int|long|unsigned|short|char|float|double|size_t|uint32_t $x ;", then: []string{"$x +=|-=|++|--|*=", "return $x ;", "[ $x ]", "( $x <|>|==|!="},
		unless: []string{"$x =", "& $x", ">> $x", "( $x )|,", ", $x )|,"}, because: "the variable has no value yet",
	},
	{
		id: "c-realloc-self", kind: ResourceLeak, families: []syntax.Family{syntax.CFamily}, sure: 75,
		first: "$p = realloc ( $p ,", because: "when realloc fails the only pointer to the memory is lost",
	},
	{
		id: "c-size-overflow", kind: IntegerOverflow, families: []syntax.Family{syntax.CFamily}, sure: 65,
		first: "malloc|alloca|kmalloc|valloc ( $n *", unless: bounded, because: "the product may be larger than the type, and the memory smaller than thought",
	},
	{
		id: "c-unsigned-countdown", kind: IntegerOverflow, families: []syntax.Family{syntax.CFamily}, sure: 85,
		first: "for ( unsigned|size_t|uint32_t|uint64_t $i = ... ; $i >= 0", because: "an unsigned number is never below zero",
	},
	{
		id: "c-length-minus-one", kind: IntegerOverflow, families: []syntax.Family{syntax.CFamily}, sure: 65,
		first: "[ strlen ( $s ) - 1 ]", unless: []string{"strlen ( $s ) >|>=|==|!=", "* $s", "$s [ 0 ]"}, because: "the empty text has no last character",
	},
	{
		id: "c-stack-by-input", kind: StackOverflow, families: []syntax.Family{syntax.CFamily}, sure: 60,
		first: "alloca ( $n", unless: bounded, because: "the size on the stack has no limit",
	},
	{
		id: "c-end-of-file-in-char", kind: WrongComparison, families: []syntax.Family{syntax.CFamily}, sure: 85,
		first: "^ char $c ;", then: []string{"$c = getc|getchar|fgetc ("}, because: "a char cannot tell the end of the file from a character",
	},
	{
		id: "c-end-of-file-in-char-set", kind: WrongComparison, families: []syntax.Family{syntax.CFamily}, sure: 85,
		first: "^ char $c = getc|getchar|fgetc (", because: "a char cannot tell the end of the file from a character",
	},
	{
		id: "c-negated-mask", kind: WrongComparison, families: []syntax.Family{syntax.CFamily}, sure: 80,
		first: "( ! $x & $y )", because: "the negation binds closer than the mask",
	},
	{
		id: "c-memset-nothing", kind: WrongComparison, families: []syntax.Family{syntax.CFamily}, sure: 80,
		first: "memset ( $p , ... sizeof ( ... ) , 0 )", because: "size and value of memset changed places",
	},
}
