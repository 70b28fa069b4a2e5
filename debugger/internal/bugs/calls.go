package bugs

import (
	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// callsOf returns the positions in a stream of the names that are called, in order. The
// names of the functions that a file declares are none.
func callsOf(tokens []syntax.Token, found []syntax.Function, places []int32) []uint32 {
	var calls []uint32
	for i := range len(tokens) - 1 {
		for len(found) > 0 && found[0].Body <= i {
			found = found[1:]
		}
		declared := len(found) > 0 && found[0].Begin <= i
		if tokens[i].Kind == syntax.NameToken && tokens[i+1].Text == "(" && !declared {
			calls = append(calls, uint32(places[i]))
		}
	}
	return calls
}
