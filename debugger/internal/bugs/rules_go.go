package bugs

import "github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"

// goRules holds the rules for Go.
var goRules = []rule{
	{
		id: "go-checked-after-use", kind: NullDereference, families: []syntax.Family{syntax.GoFamily}, sure: 75,
		first: "$p . %name", then: []string{"if $p == nil"},
		unless: []string{"$p =|:=", "$p , %name =|:=", ", $p", "& $p", "range"}, atFirst: true, because: "the pointer is checked only after it was followed",
	},
	{
		id: "go-nil-pointer", kind: NullDereference, families: []syntax.Family{syntax.GoFamily}, sure: 85,
		first: "^ var $p * %name ;", then: []string{"$p ."},
		unless: []string{"$p =|:=|==|!=", "& $p", ", $p", "$p ,"}, because: "the pointer has no value yet",
	},
	{
		id: "go-used-when-nil", kind: NullDereference, families: []syntax.Family{syntax.GoFamily}, sure: 90,
		first: "if $p == nil {", then: []string{"$p . %name"},
		unless: []string{"$p =|:=", "}", "return", "& $p"}, because: "the pointer is followed where it is nil",
	},
	{
		id: "go-nil-map", kind: NullDereference, families: []syntax.Family{syntax.GoFamily}, sure: 90,
		first: "^ var $m map [ ... ]", then: []string{"$m [ ... ] =|++|+="},
		unless: []string{"$m =|:=", "& $m", "$m ==|!=", ", $m"}, because: "a nil map cannot be written to",
	},
	{
		id: "go-index-length", kind: OffByOne, families: []syntax.Family{syntax.GoFamily}, sure: 95,
		first: "$x [ len ( $x ) ]", because: "the last element is one before the length",
	},
	{
		id: "go-loop-to-length", kind: OffByOne, families: []syntax.Family{syntax.GoFamily}, sure: 85,
		first: "for $i := ... ; $i <= len ( $x ) ;", because: "the loop runs one further than the last element",
	},
	{
		id: "go-neighbour-in-loop", kind: OffByOne, families: []syntax.Family{syntax.GoFamily}, sure: 75,
		first: "for $i := range $x {", then: []string{"$x [ $i + 1 ]"}, unless: []string{"$i <|<=|>|>=|==", "len ( $x )"}, because: "the last element has no neighbour",
	},
	{
		id: "go-split-index", kind: OutOfBounds, families: []syntax.Family{syntax.GoFamily}, sure: 80,
		first: "Split|SplitN|Fields|FindStringSubmatch|FindSubmatch ( ... ) [ 1|2|3|4|5|6|7|8|9 ]", because: "there may be fewer parts",
	},
	{
		id: "go-split-index-later", kind: OutOfBounds, families: []syntax.Family{syntax.GoFamily}, sure: 67,
		first: "$p := $s . Split|SplitN|Fields|FindStringSubmatch|FindSubmatch ( ... )", then: []string{"$p [ 1|2|3|4|5|6|7|8|9 ]"},
		unless: []string{"len ( $p )", "$p ==|!=", "range $p"}, because: "there may be fewer parts",
	},
	{
		id: "go-split-index-strings", kind: OutOfBounds, families: []syntax.Family{syntax.GoFamily}, sure: 75,
		first: "$p := strings|bytes . Split|SplitN|Fields ( ... )", then: []string{"$p [ 1|2|3|4|5|6|7|8|9 ]"},
		unless: []string{"len ( $p )", "$p ==|!=", "range $p"}, because: "there may be fewer parts",
	},
	{
		id: "go-arguments-unchecked", kind: OutOfBounds, families: []syntax.Family{syntax.GoFamily}, sure: 75,
		first: "os . Args [ 1|2|3|4|5|6|7|8|9 ]", unless: []string{"len ( os . Args )"}, because: "there may be fewer arguments",
	},
	{
		id: "go-index-from-input", kind: OutOfBounds, families: []syntax.Family{syntax.GoFamily}, sure: 75,
		first: "$n , %name :=|= strconv . Atoi|ParseInt|ParseUint (", then: []string{"[ $n ]"},
		unless: bounded, because: "a number from outside is an index and is not compared with a limit",
	},
	{
		id: "go-position-unchecked", kind: OutOfBounds, families: []syntax.Family{syntax.GoFamily}, sure: 50,
		first: "$n := strings|bytes|slices . Index|IndexByte|LastIndex|IndexAny|IndexRune|IndexFunc (", then: []string{"[ $n", ": $n ]"},
		unless: append([]string{"$n ==|!="}, bounded...), because: "the position is -1 when nothing is found",
	},
	{
		id: "go-decode-ignored", kind: UncheckedError, families: []syntax.Family{syntax.GoFamily}, sure: 80,
		first: "^ json|xml|gob|yaml|toml|binary . Unmarshal|Read|Write ( ... ) ;", because: "the error of the decoding is not checked",
	},
	{
		id: "go-error-swallowed-value", kind: UncheckedError, families: []syntax.Family{syntax.GoFamily}, sure: 50,
		first: "if err != nil { return %any , nil }", because: "the error is looked at and then lost",
	},
	{
		id: "go-error-empty-branch", kind: UncheckedError, families: []syntax.Family{syntax.GoFamily}, sure: 75,
		first: "if err != nil { }", because: "the error is looked at and then lost",
	},
	{
		id: "go-error-overwritten", kind: UncheckedError, families: []syntax.Family{syntax.GoFamily}, sure: 70,
		first: "$v , err := $f ( ... ) ;", then: []string{"^ %name , err :=|= $g (", "^ err = $g ("},
		unless: []string{"err !=|==", "err )|,|;|}", "( err", "return", "switch|if|for"}, because: "the error is overwritten before anybody looked",
	},
	{
		id: "go-error-inverted", kind: WrongComparison, families: []syntax.Family{syntax.GoFamily}, sure: 75,
		first: "if err == nil { return err }", because: "the comparison is the wrong way round",
	},
	{
		id: "go-error-inverted-value", kind: WrongComparison, families: []syntax.Family{syntax.GoFamily}, sure: 75,
		first: "if err == nil { return ... , err }", because: "the comparison is the wrong way round",
	},
	{
		id: "go-shared-counter", kind: DataRace, families: []syntax.Family{syntax.GoFamily}, sure: 60,
		first: "go func ( ... ) {", then: []string{"^ $x ++|-- ;", "^ $x +=|-="},
		unless: []string{"Lock ( )", "} ("}, because: "the goroutine changes a variable that others see",
	},
	{
		id: "go-waitgroup-inside", kind: DataRace, families: []syntax.Family{syntax.GoFamily}, sure: 85,
		first: "go func ( ... ) { $w . Add (", because: "Wait may be over before the goroutine adds itself",
	},
	{
		id: "go-unlocked-return", kind: DataRace, families: []syntax.Family{syntax.GoFamily}, sure: 65,
		first: "^ $m . Lock ( ) ;", then: []string{"return"}, unless: []string{"$m . Unlock", "func ("}, because: "the lock is kept when the function returns here",
	},
	{
		id: "go-file-left-open", kind: ResourceLeak, families: []syntax.Family{syntax.GoFamily}, sure: 65,
		first: "$r , %name := os . Open|Create|OpenFile ( ... )",
		never: []string{"$r . Close", "return $r %stop", "( ... $r )", "= $r %stop", ": $r %stop", "{ $r }"}, because: "nothing closes the file",
	},
	{
		id: "go-body-left-open", kind: ResourceLeak, families: []syntax.Family{syntax.GoFamily}, sure: 70,
		first: "$r , %name := http . Get|Post|PostForm|Head ( ... )",
		never: []string{"$r . Body . Close", "return $r %stop", "( $r )|,", ", $r )|,"}, because: "nothing closes the body of the response",
	},
	{
		id: "go-cancel-dropped", kind: ResourceLeak, families: []syntax.Family{syntax.GoFamily}, sure: 85,
		first: "$c , _ :=|= context . WithCancel|WithTimeout|WithDeadline (", because: "the context can never be released",
	},
	{
		id: "go-narrowed-length", kind: IntegerOverflow, families: []syntax.Family{syntax.GoFamily}, sure: 55,
		first: "int32|int16|int8|uint32|uint16|uint8|byte ( len ( $x ) )", unless: []string{"len ( $x ) >|>=|<|<="}, because: "the length may be larger than the type",
	},
	{
		id: "go-size-from-input", kind: IntegerOverflow, families: []syntax.Family{syntax.GoFamily}, sure: 65,
		first: "$n := binary . BigEndian|LittleEndian . Uint16|Uint32|Uint64 ( ... )", then: []string{"make ( ... $n"},
		unless: bounded, because: "a number from outside is a size and is not compared with a limit",
	},
	{
		id: "go-used-after-put", kind: UseAfterFree, families: []syntax.Family{syntax.GoFamily}, sure: 70,
		first: "^ $p . Put ( $b ) ;", then: []string{"$b .", "$b [", "( $b )", "return $b"}, unless: []string{"$b =|:="}, because: "the object went back to its pool before",
	},
	{
		id: "go-closed-channel", kind: UseAfterFree, families: []syntax.Family{syntax.GoFamily}, sure: 80,
		first: "^ close ( $c ) ;", then: []string{"^ close ( $c )", "^ $c <-"}, unless: []string{"$c =|:="}, because: "the channel was closed before",
	},
	{id: "go-unsafe", kind: WildPointer, families: []syntax.Family{syntax.GoFamily}, sure: 45, first: "unsafe . Pointer ( uintptr", because: "the pointer is made of a number"},
}
