package bugs

import "github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"

// present lists the ways in which JavaScript code checks whether a value is
// present.
var present = []string{"if ( $x", "! $x", "$x ==|===|!=|!==", "$x ?.", "$x &&", "&& $x", "$x ||", "$x ??", "$x ?", "$x =", "while ( $x"}

// scriptRules holds the rules for JavaScript and TypeScript.
var scriptRules = []rule{
	{
		id: "js-storage-parsed", kind: NullDereference, families: []syntax.Family{syntax.ScriptFamily}, sure: 70,
		first: "JSON . parse ( localStorage|sessionStorage . getItem ( ... ) ) .", because: "the item may not be there",
	},
	{
		id: "js-set-to-null", kind: NullDereference, families: []syntax.Family{syntax.ScriptFamily}, sure: 75,
		first: "$x = null|undefined ;", then: []string{"$x . %name", "$x ["}, unless: append([]string{"function", "=>", "for"}, present...), because: "the variable was set to null and is used",
	},
	{
		id: "js-parsed-inline", kind: NullDereference, families: []syntax.Family{syntax.ScriptFamily}, sure: 55,
		first: "JSON . parse ( $x ) .", because: "the text may be null",
	},
	{
		id: "js-request-nested", kind: NullDereference, families: []syntax.Family{syntax.ScriptFamily}, sure: 50,
		first: "req|request . body|query|params . %name . %name", unless: []string{"if ( req"}, because: "what a request does not send is undefined",
	},
	{
		id: "js-number-unchecked", kind: BadConversion, families: []syntax.Family{syntax.ScriptFamily}, sure: 50,
		first: "$x = parseInt|parseFloat|Number ( ... ) ;", then: []string{"[ $x ]", "$x +|-|*|/", "+|-|*|/ $x"}, unless: []string{"isNaN ( $x", "Number . isNaN ( $x", "isFinite ( $x", "$x <|<=|>|>=", "$x ||"}, because: "a text that is no number gives NaN",
	},
	{id: "js-async-each", kind: UncheckedError, families: []syntax.Family{syntax.ScriptFamily}, sure: 80, first: ". forEach ( async", because: "the calls are not awaited, and their errors are lost"},
	{id: "js-error-ignored", kind: UncheckedError, families: []syntax.Family{syntax.ScriptFamily}, sure: 60, first: "( err|error , $x ) => $x", because: "the error is not looked at"},
	{
		id: "js-response-unchecked", kind: UncheckedError, families: []syntax.Family{syntax.ScriptFamily}, sure: 65,
		first: "$x = await fetch ( ... ) ;", then: []string{"$x . json|text|blob|arrayBuffer ("}, unless: []string{"$x . ok", "$x . status"}, because: "a response with an error status is a response too",
	},
	{id: "js-typeof-undefined", kind: WrongComparison, families: []syntax.Family{syntax.ScriptFamily}, sure: 90, first: "typeof $x ==|===|!=|!== undefined|null", because: "typeof gives a text"},
	{id: "js-equal-nan", kind: WrongComparison, families: []syntax.Family{syntax.ScriptFamily}, sure: 95, first: "==|===|!=|!== NaN", because: "NaN equals nothing, itself included"},
	{id: "js-position-as-truth", kind: WrongComparison, families: []syntax.Family{syntax.ScriptFamily}, sure: 85, first: "if ( $x . indexOf|search|findIndex|lastIndexOf ( ... ) )", because: "the position 0 counts as false, and -1 as true"},
	{id: "js-index-length", kind: OffByOne, families: []syntax.Family{syntax.ScriptFamily}, sure: 70, first: "= $x [ $x . length ] ;", because: "the last element is one before the length"},
	{
		id: "js-split-index", kind: OutOfBounds, families: []syntax.Family{syntax.ScriptFamily}, sure: 70,
		first: ". split ( ... ) [ 1|2|3|4|5|6|7|8|9 ] .", because: "there may be fewer parts",
	},
	{
		id: "js-shared-loop-variable", kind: SharedState, families: []syntax.Family{syntax.ScriptFamily}, sure: 75,
		first: "for ( var $i", then: []string{"setTimeout|setInterval|addEventListener|then|on ( ... function|=>"}, because: "all the functions see the last value of the loop",
	},
	{
		id: "js-timer-kept", kind: ResourceLeak, families: []syntax.Family{syntax.ScriptFamily}, sure: 45,
		first: "^ setInterval (", because: "nothing can stop the timer",
	},
}
