package sessiontools

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// factArgs are the arguments that audit records may contain. Other arguments
// may be secrets of the program: expressions, paths, bytes.
type factArgs struct {
	PID     int    `json:"pid"`
	ID      int    `json:"id"`
	Address string `json:"address"`
	Scope   string `json:"scope"`
	Format  string `json:"format"`
}

// A fact returns what an audit record says about a call. The answer is nil if
// the call failed.
type fact func(args factArgs, answer any) map[string]string

// FactsOf makes a fact the Details column of a tool's row.
func FactsOf(f fact) func(raw json.RawMessage, answer any) map[string]string {
	return func(raw json.RawMessage, answer any) map[string]string {
		var args factArgs
		_ = json.Unmarshal(raw, &args) // arguments of another type are ignored
		return f(args, answer)
	}
}

// Answers about a process, and about an address.
type (
	processAnswer interface{ AuditPID() int }
	addressAnswer interface{ AuditAddress() string }
)

func PIDFact(a factArgs, _ any) map[string]string { return positive("pid", a.PID) }

func IDFact(a factArgs, _ any) map[string]string { return positive("id", a.ID) }

func ScopeFact(a factArgs, _ any) map[string]string {
	return oneOf("scope", a.Scope, "local", "global", "all")
}

func FormatFact(a factArgs, _ any) map[string]string {
	return oneOf("format", a.Format, "json", "binary", "text")
}

// ProcessFact records the process of the answer.
func ProcessFact(_ factArgs, answer any) map[string]string {
	if about, ok := answer.(processAnswer); ok {
		return positive("pid", about.AuditPID())
	}
	return nil
}

// AddressFact records the address of the answer, or else the argument if it is
// a number.
func AddressFact(a factArgs, answer any) map[string]string {
	text := a.Address
	if about, ok := answer.(addressAnswer); ok {
		text = about.AuditAddress()
	}
	addr, err := inspect.ParseAddress(text)
	if err != nil {
		return nil
	}
	return map[string]string{"address": plain.Hex(addr)}
}

func positive(name string, n int) map[string]string {
	if n < 1 {
		return nil
	}
	return map[string]string{name: strconv.Itoa(n)}
}

// oneOf records one of some words, the first one if none was given.
func oneOf(name, word string, words ...string) map[string]string {
	switch {
	case word == "":
		word = words[0]
	case !slices.Contains(words, word):
		return nil
	}
	return map[string]string{name: word}
}
