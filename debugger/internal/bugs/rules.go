package bugs

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// allRules returns the rules of all languages.
func allRules() []rule {
	return slices.Concat(commonRules, cRules, goRules, rustRules, pythonRules, scriptRules)
}

// commonRules apply to several families.
var commonRules = []rule{
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
