package bugs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// An evidence is a site with the code at it.
type evidence struct {
	site  Site
	line  []syntax.Token // tokens of the line; may be empty
	risks []risk         // found by the rules, the nearest first
}

// A clue detects one kind of bug at a site. It returns an empty Kind if it does
// not.
type clue func(evidence) (kind Kind, reason string)

// clues are tried in order; the first that detects a bug decides. What the
// processor reports takes precedence over the values, and the values over the
// code. A matching rule may make the result more precise.
var clues = []clue{
	stoppedFunction,
	dividedByZero,
	poisoned,
	overflowedStack,
	nullAddress,
	badSignal,
	zeroDivisor,
	badIndex,
	nullValue,
}

// diagnose returns the diagnosis of a site.
func diagnose(s evidence) Diagnosis {
	for _, see := range clues {
		if kind, reason := see(s); kind != "" {
			return refine(s, kind, reason)
		}
	}
	if len(s.risks) > 0 {
		r := s.risks[0].rule
		return describe(r.kind, fmt.Sprintf("line %d: %s", s.risks[0].line, r.because))
	}
	if s.site.Signal != "" {
		return Diagnosis{Class: Crash, Title: Kind("").Title(), Reason: "the program was stopped by " + s.site.Signal}
	}
	return Diagnosis{Class: Logic, Title: Kind("").Title(), Reason: "no signal, and no known risk in the code"}
}

func describe(k Kind, reason string) Diagnosis {
	return Diagnosis{Kind: k, Class: k.Class(), Title: k.Title(), Reason: reason}
}

// refine replaces a kind by a more precise one that a rule found on the line: a
// null pointer on a line that uses the result of malloc is an unchecked
// allocation.
func refine(s evidence, k Kind, reason string) Diagnosis {
	for _, r := range s.risks {
		if r.line == int32(s.site.Line) && (r.rule.kind == k || slices.Contains(rowOf(k).near, r.rule.kind)) {
			return describe(r.rule.kind, reason+"; "+r.rule.because)
		}
	}
	return describe(k, reason)
}

// stoppers lists functions that end a program that has detected an error itself.
var stoppers = []struct {
	part   string // part of the function's name
	kind   Kind
	reason string
}{
	{"__stack_chk_fail", BufferOverflow, "the guard value on the stack was overwritten"},
	{"__fortify_fail", BufferOverflow, "a checked copy was longer than its target"},
	{"__chk_fail", BufferOverflow, "a checked copy was longer than its target"},
	{"malloc_printerr", DoubleFree, "the allocator found its data damaged, as by a second free"},
	{"__assert_fail", FailedAssertion, "an assertion did not hold"},
	{"__assert_rtn", FailedAssertion, "an assertion did not hold"},
	{"panic_bounds_check", OutOfBounds, "an index was beyond the length"},
	{"slice_end_index", OutOfBounds, "a range was beyond the length"},
	{"slice_start_index", OutOfBounds, "a range was beyond the length"},
	{"panic_const_div_by_zero", DivisionByZero, "the divisor was zero"},
	{"panic_const_rem_by_zero", DivisionByZero, "the divisor was zero"},
	{"_overflow", IntegerOverflow, "an arithmetic operation overflowed"},
	{"unwrap_failed", UnwrapFailure, "a value that was unwrapped was not there"},
	{"expect_failed", UnwrapFailure, "a value that was expected was not there"},
	{"panic_already_borrowed", FailedAssertion, "a cell was borrowed twice"},
	{"runtime.panicdivide", DivisionByZero, "the divisor was zero"},
	{"runtime.panicmem", NullDereference, "memory was accessed through a nil pointer"},
	{"runtime.goPanicIndex", OutOfBounds, "an index was beyond the length"},
	{"runtime.goPanicSlice", OutOfBounds, "a range was beyond the length"},
	{"runtime.panicIndex", OutOfBounds, "an index was beyond the length"},
	{"runtime.panicSlice", OutOfBounds, "a range was beyond the length"},
	{"runtime.panicdottype", BadConversion, "a type assertion did not hold"},
	{"runtime.throw", FailedAssertion, "the runtime gave up"},
	{"runtime.gopanic", FailedAssertion, "the program panicked"},
	{"__cxa_pure_virtual", UseAfterFree, "a virtual function of an object was called that is built or destroyed"},
	{"__cxa_throw", UncheckedError, "an exception was thrown that is not caught"},
	{"std::terminate", UncheckedError, "an exception was thrown that is not caught"},
}

func stoppedFunction(s evidence) (Kind, string) {
	for _, stopper := range stoppers {
		if strings.Contains(s.site.Function, stopper.part) {
			return stopper.kind, s.site.Function + ": " + stopper.reason
		}
	}
	return "", ""
}

// signals gives the diagnosis when only the signal is known.
var signals = map[string]struct {
	kind   Kind
	reason string
}{
	"SIGSEGV": {WildPointer, "memory was accessed that is not mapped or protected"},
	"SIGBUS":  {WildPointer, "memory was accessed that is misaligned, or behind the end of a mapped file"},
	"SIGABRT": {FailedAssertion, "the program ended itself"},
	"SIGILL":  {FailedAssertion, "the program reached an instruction that marks what must not be reached"},
	"SIGTRAP": {FailedAssertion, "the program reached an instruction that marks what must not be reached"},
	"SIGSYS":  {UncheckedError, "a system call was made that is not allowed"},
	"SIGPIPE": {UncheckedError, "the other end was gone, and the program wrote on"},
	"SIGXFSZ": {UncheckedError, "a file became larger than allowed"},
}

func badSignal(s evidence) (Kind, string) {
	if kind, reason := badIndex(s); kind != "" {
		return kind, reason
	}
	sig := signals[s.site.Signal]
	return sig.kind, sig.reason
}

// lineTokens returns the tokens of one line of text.
func lineTokens(ctx context.Context, lang *syntax.Language, text string) []syntax.Token {
	tokens, err := syntax.Lex(ctx, lang, text)
	if err != nil {
		return nil
	}
	return tokens
}
