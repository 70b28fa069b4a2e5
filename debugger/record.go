package debugger

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/triptych-mcp/triptych/mcp"
)

// factArgs are the arguments of which records tell. Everything else that a
// caller sends may be a secret of the program: expressions, paths, bytes.
type factArgs struct {
	PID     int    `json:"pid"`
	ID      int    `json:"id"`
	Address string `json:"address"`
	Scope   string `json:"scope"`
	Format  string `json:"format"`
}

// facts are what records say of calls, by the tool; phrases use them. Each looks
// at the arguments and at the answer, which is nil if there is none.
var facts = map[string]func(args factArgs, answer any) map[string]string{
	"debugger/attach":           func(a factArgs, _ any) map[string]string { return positive("pid", a.PID) },
	"debugger/launch":           func(_ factArgs, answer any) map[string]string { return positive("pid", processOf(answer)) },
	"debugger/detach":           func(_ factArgs, answer any) map[string]string { return positive("pid", processOf(answer)) },
	"debugger/open_core":        func(_ factArgs, answer any) map[string]string { return positive("pid", processOf(answer)) },
	"debugger/open_trace":       func(_ factArgs, answer any) map[string]string { return positive("pid", processOf(answer)) },
	"debugger/set_breakpoint":   addressFact,
	"debugger/set_watchpoint":   addressFact,
	"debugger/read_memory":      addressFact,
	"debugger/write_memory":     addressFact,
	"debugger/clear_breakpoint": func(a factArgs, _ any) map[string]string { return positive("id", a.ID) },
	"debugger/get_variables": func(a factArgs, _ any) map[string]string {
		return oneOf("scope", a.Scope, "local", "global", "all")
	},
	"debugger/export_trace": func(a factArgs, _ any) map[string]string {
		return oneOf("format", a.Format, "json", "binary", "text")
	},
}

// recorded gives the rows what their records say.
func recorded(tools []mcp.Tool) []mcp.Tool {
	for i := range tools {
		if fact := facts[tools[i].Name]; fact != nil {
			tools[i].Details = func(raw json.RawMessage, answer any) map[string]string {
				var args factArgs
				_ = json.Unmarshal(raw, &args) // of arguments with other forms, those that fit
				return fact(args, answer)
			}
		}
	}
	return tools
}

func positive(name string, n int) map[string]string {
	if n < 1 {
		return nil
	}
	return map[string]string{name: strconv.Itoa(n)}
}

// oneOf is the word, or the first one where none was given.
func oneOf(name, word string, words ...string) map[string]string {
	switch {
	case word == "":
		word = words[0]
	case !slices.Contains(words, word):
		return nil
	}
	return map[string]string{name: word}
}

// processOf is the process that an answer is about, 0 without one.
func processOf(answer any) int {
	switch a := answer.(type) {
	case launched:
		return a.State.PID
	case detached:
		return a.State.PID
	case opened:
		return a.State.PID
	}
	return 0
}

// addressFact is where the call was about, if the answer or the caller says so
// by a number.
func addressFact(a factArgs, answer any) map[string]string {
	text := a.Address
	switch a := answer.(type) {
	case marked:
		if len(a.Breakpoint.Places) > 0 {
			text = a.Breakpoint.Places[0].Address
		}
	case contents:
		text = a.Address
	case written:
		text = a.Address
	}
	addr, err := parseAddress(text)
	if err != nil {
		return nil
	}
	return map[string]string{"address": hexadecimal(addr)}
}
