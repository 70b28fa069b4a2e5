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
	line  []syntax.Token // of the line; may be empty
	risks []risk         // that the rules see there, the nearest first
}

// A clue is one thing that may be seen at a site.
type clue func(evidence) (kind Kind, reason string)

// clues are asked in order; the first that sees something decides. What the
// processor says comes before what the values say, and that before what the code
// looks like, save that a rule that agrees with them may say it better.
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

// diagnose decides what went wrong.
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

// refine lets a rule that saw a bug of a kind near to k say which it is: a null
// pointer on a line where malloc's result is used is an unchecked allocation.
func refine(s evidence, k Kind, reason string) Diagnosis {
	for _, r := range s.risks {
		if r.line == int32(s.site.Line) && (r.rule.kind == k || slices.Contains(rowOf(k).near, r.rule.kind)) {
			return describe(r.rule.kind, reason+"; "+r.rule.because)
		}
	}
	return describe(k, reason)
}

// stoppers are functions that end a program that found something wrong itself.
var stoppers = []struct {
	part   string // of the function's name
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

// signals say what is left when nothing else is known.
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

// lineTokens are the tokens of one line of a text.
func lineTokens(ctx context.Context, lang *syntax.Language, text string) []syntax.Token {
	tokens, err := syntax.Lex(ctx, lang, text)
	if err != nil {
		return nil
	}
	return tokens
}
