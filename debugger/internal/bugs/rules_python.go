package bugs

import "github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"

// asked lists the ways in which Python code checks whether a value is present.
var asked = []string{"if $x", "not $x", "$x is", "$x ==|!=", "and $x", "$x and", "$x or", "while $x", "assert $x", "$x = ", "try"}

// pythonRules holds the rules for Python.
var pythonRules = []rule{
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
		id: "python-set-to-none", kind: NullDereference, families: []syntax.Family{syntax.PythonFamily}, sure: 75,
		first: "$x = None ;", then: []string{"$x . %name", "$x ["}, unless: append([]string{"for", "while", "nonlocal", "global"}, asked...), because: "the variable was set to None and is used",
	},
	{
		id: "python-environment-key", kind: MissingKey, families: []syntax.Family{syntax.PythonFamily}, sure: 65,
		first: "os . environ [ ... ]", unless: []string{"in os . environ", "os . environ [ ... ] =", "try"}, because: "the variable may not be set",
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
	{id: "python-bare-except", kind: UncheckedError, families: []syntax.Family{syntax.PythonFamily}, sure: 71, first: "except :", never: []string{"raise"}, because: "every error is caught, interrupts too"},
	{id: "python-bare-except-pass", kind: UncheckedError, families: []syntax.Family{syntax.PythonFamily}, sure: 95, first: "except : pass", because: "the error is caught and lost"},
	{
		id: "python-process-unchecked", kind: UncheckedError, families: []syntax.Family{syntax.PythonFamily}, sure: 55,
		first: "^ subprocess|os . call|run|system ( ... ) ;", because: "the result of the command is not checked",
	},
	{id: "python-mutable-default", kind: SharedState, families: []syntax.Family{syntax.PythonFamily}, sure: 85, first: "def %name ( ... = [ ]", because: "all calls share the default value"},
	{id: "python-mutable-default-dict", kind: SharedState, families: []syntax.Family{syntax.PythonFamily}, sure: 85, first: "def %name ( ... = { }", because: "all calls share the default value"},
	{
		id: "python-late-binding", kind: SharedState, families: []syntax.Family{syntax.PythonFamily}, sure: 60,
		first: "for $i in", then: []string{"lambda : ... $i"}, unless: []string{"$i = $i"}, because: "all the functions see the last value of the loop",
	},
	{id: "python-identity-number", kind: WrongComparison, families: []syntax.Family{syntax.PythonFamily}, sure: 85, first: "is %num", because: "this compares identities, not values"},
	{id: "python-identity-text", kind: WrongComparison, families: []syntax.Family{syntax.PythonFamily}, sure: 85, first: "is %str", because: "this compares identities, not values"},
	{id: "python-identity-not", kind: WrongComparison, families: []syntax.Family{syntax.PythonFamily}, sure: 85, first: "is not %num", because: "this compares identities, not values"},
	{id: "python-assert-tuple", kind: WrongComparison, families: []syntax.Family{syntax.PythonFamily}, sure: 85, first: "assert ( %any ... , %str ) ;", because: "a tuple is always true"},
	{id: "python-file-not-kept", kind: ResourceLeak, families: []syntax.Family{syntax.PythonFamily}, sure: 55, first: "open ( ... ) . read|write|readlines|readline (", because: "the file is not closed"},
}
