package bugs

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// allRules returns the rules of all languages.
func allRules() []rule {
	return slices.Concat(commonRules, cRules, goRules, rustRules, pythonRules, scriptRules)
}

// braced lists the families whose functions are enclosed in braces.
var braced = []syntax.Family{syntax.CFamily, syntax.GoFamily, syntax.RustFamily, syntax.ScriptFamily}

// everywhere lists all families that have rules.
var everywhere = append(slices.Clone(braced), syntax.PythonFamily)

// commonRules apply to several families.
var commonRules = []rule{
	{
		id: "divisor-unchecked", kind: DivisionByZero, families: []syntax.Family{syntax.CFamily, syntax.GoFamily, syntax.RustFamily, syntax.PythonFamily}, sure: 50,
		first: "%value /|%|/=|%=|// $d %stop",
		unless: []string{
			"$d ==|!=|>|>=|<|<=", "==|!=|<|<= $d", "if ( $d", "if $d", "! $d", "not $d", "while ( $d", "( $d ?", "&& $d", "$d = %num ;",
		},
		because: "the divisor is used without a check for zero",
	},
	{
		id: "same-operands", kind: WrongComparison, families: everywhere, sure: 60,
		first:   "( $x ==|!=|<|>|<=|>=|&& $x )",
		because: "both sides of the comparison are the same",
	},
	{
		id: "branch-empty", kind: WrongComparison, families: []syntax.Family{syntax.CFamily, syntax.ScriptFamily}, sure: 75,
		first: "if ( ... ) ; {", because: "the semicolon ends the branch before its block",
	},
	{
		id: "number-assigned-in-condition", kind: WrongComparison, families: []syntax.Family{syntax.CFamily, syntax.ScriptFamily}, sure: 85,
		first: "if|while ( $x = %num )", because: "the condition assigns a number where it should compare",
	},
	{
		id: "assigned-in-condition", kind: WrongComparison, families: []syntax.Family{syntax.CFamily, syntax.ScriptFamily}, sure: 65,
		first: "if ( $x = $y )", because: "the condition assigns where it should compare",
	},
}
