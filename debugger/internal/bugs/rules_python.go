package bugs

import "github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"

// asked lists the ways in which Python code checks whether a value is present.
var asked = []string{"if $x", "not $x", "$x is", "$x ==|!=", "and $x", "$x and", "$x or", "while $x", "assert $x", "$x = ", "try"}

// pythonRules holds the rules for Python.
var pythonRules = []rule{
	{
		id: "python-match-unchecked", kind: NullDereference, families: []syntax.Family{syntax.PythonFamily}, sure: 85,
		first: "match|search|fullmatch ( ... ) . group|groups|start|end|span|groupdict (", because: "there is None where nothing matches",
	},
	{
		id: "python-match-used", kind: NullDereference, families: []syntax.Family{syntax.PythonFamily}, sure: 85,
		first: "$x = re . match|search|fullmatch (", then: []string{"$x . %name", "$x ["}, unless: asked, because: "there is None where nothing matches",
	},
	{
		id: "python-get-inline", kind: NullDereference, families: []syntax.Family{syntax.PythonFamily}, sure: 75,
		first: ". get ( %any ) .|[", because: "get gives None for a key that is not there",
	},
	{
		id: "python-get-used", kind: NullDereference, families: []syntax.Family{syntax.PythonFamily}, sure: 70,
		first: "$x = $d . get ( %any ) ;", then: []string{"$x . %name", "$x [", "len ( $x )"}, unless: asked, because: "get gives None for a key that is not there",
	},
	{
		id: "python-find-used", kind: NullDereference, families: []syntax.Family{syntax.PythonFamily}, sure: 65,
		first: "$x = $d . find|first|fetchone|find_one|one_or_none (", then: []string{"$x . %name", "$x ["}, unless: asked, because: "the result is None when nothing is found",
	},
	{
		id: "python-find-inline", kind: NullDereference, families: []syntax.Family{syntax.PythonFamily}, sure: 70,
		first: ". fetchone|first|find_one ( ... ) .|[", because: "the result is None when nothing is found",
	},
	{
		id: "python-set-to-none", kind: NullDereference, families: []syntax.Family{syntax.PythonFamily}, sure: 75,
		first: "$x = None ;", then: []string{"$x . %name", "$x ["}, unless: append([]string{"for", "while", "nonlocal", "global"}, asked...), because: "the variable was set to None and is used",
	},
	{
		id: "python-environment-key", kind: MissingKey, families: []syntax.Family{syntax.PythonFamily}, sure: 65,
		first: "os . environ [ ... ]", unless: []string{"in os . environ", "os . environ [ ... ] =", "try"}, because: "the variable may not be set",
	},
	{
		id: "python-key-unchecked", kind: MissingKey, families: []syntax.Family{syntax.PythonFamily}, sure: 45,
		first: "= $d [ %str ]", unless: []string{"in $d", "$d . get|setdefault", "defaultdict", "try"}, because: "the key may not be there",
	},
	{
		id: "python-first-unchecked", kind: OutOfBounds, families: []syntax.Family{syntax.PythonFamily}, sure: 50,
		first: "$x [ 0 ]", unless: []string{"if $x", "len ( $x )", "not $x", "in $x", "$x = [", "try"}, because: "it is not checked that there is a first element",
	},
	{
		id: "python-last-unchecked", kind: OutOfBounds, families: []syntax.Family{syntax.PythonFamily}, sure: 50,
		first: "$x [ - 1 ]", unless: []string{"if $x", "len ( $x )", "not $x", "in $x", "$x . append", "try"}, because: "it is not checked that there is a last element",
	},
	{
		id: "python-split-index", kind: OutOfBounds, families: []syntax.Family{syntax.PythonFamily}, sure: 75,
		first: ". split|rsplit|splitlines|findall ( ... ) [ 1|2|3|4|5|6|7|8|9 ]", because: "there may be fewer parts",
	},
	{
		id: "python-arguments-unchecked", kind: OutOfBounds, families: []syntax.Family{syntax.PythonFamily}, sure: 75,
		first: "sys . argv [ 1|2|3|4|5|6|7|8|9 ]", unless: []string{"len ( sys . argv )", "try"}, because: "there may be fewer arguments",
	},
	{
		id: "python-range-one-further", kind: OffByOne, families: []syntax.Family{syntax.PythonFamily}, sure: 90,
		first: "for %name in range ( len ( $x ) + 1 )", because: "the loop runs one further than the last element",
	},
	{
		id: "python-neighbour-in-loop", kind: OffByOne, families: []syntax.Family{syntax.PythonFamily}, sure: 80,
		first: "for $i in range ( len ( $x ) )", then: []string{"$x [ $i + 1 ]"}, unless: []string{"$i <|<=|>|>=|==", "$i + 1 <|<=|==", "try"}, because: "the last element has no neighbour",
	},
	{
		id: "python-divided-by-length", kind: DivisionByZero, families: []syntax.Family{syntax.PythonFamily}, sure: 75,
		first: "/|//|% len ( $x )", unless: []string{"if $x", "if len ( $x", "not $x", "len ( $x ) ==|>|!=", "try"}, because: "the length may be zero",
	},
	{
		id: "python-number-from-input", kind: BadConversion, families: []syntax.Family{syntax.PythonFamily}, sure: 75,
		first: "int|float ( input (", unless: []string{"try"}, because: "the conversion raises for a text that is no number",
	},
	{
		id: "python-number-from-text", kind: BadConversion, families: []syntax.Family{syntax.PythonFamily}, sure: 50,
		first: "int|float ( $x [|)", unless: []string{"try", "isdigit", "isnumeric"}, because: "the conversion raises for a text that is no number",
	},
	{
		id: "python-decode-unchecked", kind: BadConversion, families: []syntax.Family{syntax.PythonFamily}, sure: 50,
		first: "json . loads|load (", unless: []string{"try"}, because: "the decoding raises for a text that is broken",
	},
	{id: "python-bare-except", kind: UncheckedError, families: []syntax.Family{syntax.PythonFamily}, sure: 70, first: "except :", never: []string{"raise"}, because: "every error is caught, interrupts too"},
	{id: "python-except-pass", kind: UncheckedError, families: []syntax.Family{syntax.PythonFamily}, sure: 80, first: "except ... : pass", because: "the error is caught and lost"},
	{id: "python-bare-except-pass", kind: UncheckedError, families: []syntax.Family{syntax.PythonFamily}, sure: 85, first: "except : pass", because: "the error is caught and lost"},
	{
		id: "python-process-unchecked", kind: UncheckedError, families: []syntax.Family{syntax.PythonFamily}, sure: 55,
		first: "^ subprocess|os . call|run|system ( ... ) ;", because: "the result of the command is not checked",
	},
	{id: "python-mutable-default", kind: SharedState, families: []syntax.Family{syntax.PythonFamily}, sure: 85, first: "def %name ( ... = [ ]", because: "all calls share the default value"},
	{id: "python-mutable-default-dict", kind: SharedState, families: []syntax.Family{syntax.PythonFamily}, sure: 85, first: "def %name ( ... = { }", because: "all calls share the default value"},
	{
		id: "python-changed-in-loop", kind: SharedState, families: []syntax.Family{syntax.PythonFamily}, sure: 75,
		first: "for %name in $x :", then: []string{"$x . remove|append|pop|insert|clear|add|discard (", "del $x ["}, unless: []string{"break"}, because: "the loop goes over what it changes",
	},
	{
		id: "python-late-binding", kind: SharedState, families: []syntax.Family{syntax.PythonFamily}, sure: 60,
		first: "for $i in", then: []string{"lambda : ... $i"}, unless: []string{"$i = $i"}, because: "all the functions see the last value of the loop",
	},
	{id: "python-identity-number", kind: WrongComparison, families: []syntax.Family{syntax.PythonFamily}, sure: 85, first: "is %num", because: "this compares identities, not values"},
	{id: "python-identity-text", kind: WrongComparison, families: []syntax.Family{syntax.PythonFamily}, sure: 85, first: "is %str", because: "this compares identities, not values"},
	{id: "python-identity-not", kind: WrongComparison, families: []syntax.Family{syntax.PythonFamily}, sure: 85, first: "is not %num", because: "this compares identities, not values"},
	{id: "python-equal-none", kind: WrongComparison, families: []syntax.Family{syntax.PythonFamily}, sure: 50, first: "==|!= None", because: "a type of its own may answer this in any way"},
	{id: "python-assert-tuple", kind: WrongComparison, families: []syntax.Family{syntax.PythonFamily}, sure: 85, first: "assert ( %any ... , %str ) ;", because: "a tuple is always true"},
	{
		id: "python-file-left-open", kind: ResourceLeak, families: []syntax.Family{syntax.PythonFamily}, sure: 60,
		first: "^ $f = open (", never: []string{"$f . close", "return $f %stop", "with $f", "= $f ;"}, because: "nothing closes the file when an error comes",
	},
	{id: "python-file-not-kept", kind: ResourceLeak, families: []syntax.Family{syntax.PythonFamily}, sure: 55, first: "open ( ... ) . read|write|readlines|readline (", because: "the file is not closed"},
	{id: "python-assert", kind: FailedAssertion, families: []syntax.Family{syntax.PythonFamily}, sure: 45, first: "^ assert", because: "the program gives up here when the assertion does not hold"},
	{id: "python-not-implemented", kind: FailedAssertion, families: []syntax.Family{syntax.PythonFamily}, sure: 45, first: "raise NotImplementedError", because: "the program gives up here"},
}
