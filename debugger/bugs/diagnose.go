package bugs

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A scene is a site with the code at it.
type scene struct {
	site  Site
	line  []token // of the line; may be empty
	risks []risk  // that the rules see there, the nearest first
}

// A clue is one thing that may be seen at a site.
type clue func(scene) (kind Kind, reason string)

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
func diagnose(s scene) Diagnosis {
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
func refine(s scene, k Kind, reason string) Diagnosis {
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
	{"__cxa_throw", UncheckedError, "an exception was thrown that nobody catches"},
	{"std::terminate", UncheckedError, "an exception was thrown that nobody catches"},
}

func stoppedFunction(s scene) (Kind, string) {
	for _, stopper := range stoppers {
		if strings.Contains(s.site.Function, stopper.part) {
			return stopper.kind, s.site.Function + ": " + stopper.reason
		}
	}
	return "", ""
}

// dividedByZero sees the fault of a division. The processor faults in the same
// way when the quotient does not fit.
func dividedByZero(s scene) (Kind, string) {
	if s.site.Signal != "SIGFPE" {
		return "", ""
	}
	for _, name := range divisors(s.line) {
		if v, ok := s.number(name); ok && v != 0 {
			return IntegerOverflow, fmt.Sprintf("the division overflowed: %s is %d, and the quotient does not fit", name, v)
		}
	}
	if name, ok := s.zeroDivisor(); ok {
		return DivisionByZero, name + " is 0 and divides"
	}
	return DivisionByZero, "the processor refused a division, as it does for the divisor 0"
}

// zeroDivisor sees a divisor that is zero though no signal came.
func zeroDivisor(s scene) (Kind, string) {
	if name, ok := s.zeroDivisor(); ok {
		return DivisionByZero, name + " is 0 and divides"
	}
	return "", ""
}

func (s scene) zeroDivisor() (string, bool) {
	for _, name := range divisors(s.line) {
		if v, ok := s.number(name); ok && v == 0 {
			return name, true
		}
	}
	return "", false
}

// divisors are the names behind the division signs of a line.
func divisors(line []token) []string {
	var names []string
	for i, t := range line[:max(0, len(line)-1)] {
		if slices.Contains([]string{"/", "%", "/=", "%=", "//"}, t.text) && line[i+1].kind == nameToken {
			names = append(names, pathText(line, i+1))
		}
	}
	return names
}

// pathText is the text of the path that begins at token i.
func pathText(line []token, i int) string {
	c := code{tokens: line}
	var text strings.Builder
	for _, t := range line[i:c.pathEnd(i)] {
		text.WriteString(t.text)
	}
	return text.String()
}

// number is the value of a variable, if it is one and is a number.
func (s scene) number(name string) (int64, bool) {
	text, ok := s.site.Values[name]
	if !ok {
		return 0, false
	}
	return parseNumber(text)
}

// parseNumber reads the number that text is, or begins with: values come with
// their symbols behind them.
func parseNumber(text string) (int64, bool) {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if v, err := strconv.ParseInt(word, 0, 64); err == nil {
		return v, true
	}
	v, err := strconv.ParseUint(word, 0, 64)
	return int64(v), err == nil //nolint:gosec // the bits are what counts
}

// poisons are bytes that allocators and compilers fill memory with.
var poisons = []struct {
	value  uint64
	kind   Kind
	reason string
}{
	{0xDEADBEEF, UseAfterFree, "marks freed memory"},
	{0xFEEEFEEE, UseAfterFree, "marks freed memory"},
	{0xDDDDDDDD, UseAfterFree, "marks freed memory"},
	{0x6B6B6B6B, UseAfterFree, "marks freed memory"},
	{0x5A5A5A5A, UseAfterFree, "marks freed memory"},
	{0xA5A5A5A5, Uninitialised, "marks memory without a value"},
	{0xCDCDCDCD, Uninitialised, "marks memory without a value"},
	{0xCCCCCCCC, Uninitialised, "marks memory without a value"},
	{0xBAADF00D, Uninitialised, "marks memory without a value"},
	{0xAAAAAAAA, Uninitialised, "marks memory without a value"},
	{0xBEBEBEBE, Uninitialised, "marks memory without a value"},
}

// poisoned sees pointers that are made of filling.
func poisoned(s scene) (Kind, string) {
	for _, where := range s.pointers() {
		for _, p := range poisons {
			if near(where.value, p.value) || near(where.value, p.value<<32|p.value) {
				return p.kind, fmt.Sprintf("%s is 0x%x, and 0x%x %s", where.name, where.value, p.value, p.reason)
			}
		}
	}
	return "", ""
}

// near reports whether v may be a member of an object at base.
func near(v, base uint64) bool {
	return v-base < 4096
}

// A named is a value with its name.
type named struct {
	name  string
	value uint64
}

// pointers are the address of the fault, and the values of what the line or the
// instruction mentions.
func (s scene) pointers() []named {
	var found []named
	if s.site.FaultAddress != nil {
		found = append(found, named{"the fault address", *s.site.FaultAddress})
	}
	for _, name := range s.mentioned() {
		if v, ok := s.number(name); ok {
			found = append(found, named{name, uint64(v)}) //nolint:gosec // the bits are what counts
		}
	}
	return found
}

// mentioned are the names on the line, and the registers that the instruction
// takes an address from.
func (s scene) mentioned() []string {
	var names []string
	for i, t := range s.line {
		if t.kind == nameToken && (i == 0 || !joiner(s.line[i-1].text)) {
			names = append(names, pathText(s.line, i), t.text)
		}
	}
	_, operand, _ := strings.Cut(s.site.Instruction, "[")
	operand, _, _ = strings.Cut(operand, "]")
	names = append(names, strings.FieldsFunc(operand, func(r rune) bool { return strings.ContainsRune("+-* ", r) })...)
	return slices.Compact(names)
}

// pageZero is the size of the memory that systems leave unmapped at address 0.
const pageZero = 64 << 10

// nullAddress sees an access at or shortly behind address 0.
func nullAddress(s scene) (Kind, string) {
	at := s.site.FaultAddress
	if at == nil || *at >= pageZero || !slices.Contains([]string{"SIGSEGV", "SIGBUS", ""}, s.site.Signal) {
		return "", ""
	}
	if *at == 0 && s.nonCanonical() {
		return WildPointer, "the processor refused an address that cannot exist"
	}
	reason := fmt.Sprintf("address 0x%x was accessed", *at)
	if name, ok := s.nullPointer(); ok {
		return NullDereference, reason + ", and " + name + " is null"
	}
	return NullDereference, reason + ", which only a null pointer leads to"
}

// nonCanonical reports whether a register of the instruction holds an address
// that the processor cannot translate; the kernel then reports address 0.
func (s scene) nonCanonical() bool {
	return slices.ContainsFunc(s.pointers(), func(p named) bool {
		return p.value > 1<<47 && p.value < math.MaxUint64-1<<47
	})
}

// nullPointer finds what is null on the line.
func (s scene) nullPointer() (string, bool) {
	for _, name := range s.mentioned() {
		if text, ok := s.site.Values[name]; ok && isNull(text) {
			return name, true
		}
	}
	return "", false
}

// isNull reports whether a value is a null pointer, in any language.
func isNull(text string) bool {
	switch strings.ToLower(text) {
	case "null", "nil", "none", "nullptr", "undefined", "<nil>", "(null)", "0x0":
		return true
	default:
		v, ok := parseNumber(text)
		return ok && v == 0 && strings.HasPrefix(text, "0x")
	}
}

// nullValue sees a null pointer that the line follows, though no signal came.
func nullValue(s scene) (Kind, string) {
	for i, t := range s.line {
		if t.kind != nameToken || !followed(s.line, i) {
			continue
		}
		if text, ok := s.site.Values[t.text]; ok && isNull(text) {
			return NullDereference, t.text + " is null and is followed"
		}
	}
	return "", ""
}

// followed reports whether the name at i is followed as a pointer.
func followed(line []token, i int) bool {
	if i+1 < len(line) && slices.Contains([]string{"->", ".", "["}, line[i+1].text) {
		return true
	}
	return i > 0 && line[i-1].text == "*" && (i == 1 || line[i-2].kind == symbolToken)
}

// stackDistance is how far from the stack pointer an access still counts as one
// to the stack.
const stackDistance = 1 << 20

// overflowedStack sees an access near the stack pointer that faulted: the guard
// page was hit.
func overflowedStack(s scene) (Kind, string) {
	at := s.site.FaultAddress
	if s.site.Signal != "SIGSEGV" || at == nil || *at < pageZero {
		return "", ""
	}
	for _, name := range []string{"rsp", "esp", "sp"} {
		sp, ok := s.number(name)
		if ok && distance64(uint64(sp), *at) < stackDistance { //nolint:gosec // the bits are what counts
			return StackOverflow, fmt.Sprintf("address 0x%x is next to the stack pointer and not mapped", *at)
		}
	}
	return "", ""
}

func distance64(a, b uint64) uint64 {
	return max(a, b) - min(a, b)
}

// badIndex sees an index that is negative, or not less than a length that is
// known by the name len(x), x.len or x.size.
func badIndex(s scene) (Kind, string) {
	for i := 0; i+3 < len(s.line); i++ {
		if s.line[i].kind != nameToken || s.line[i+1].text != "[" || s.line[i+3].text != "]" {
			continue
		}
		index, ok := s.index(s.line[i+2])
		if !ok {
			continue
		}
		if index < 0 {
			return OutOfBounds, fmt.Sprintf("%s is %d and an index", s.line[i+2].text, index)
		}
		if n, ok := s.length(s.line[i].text); ok && index >= n {
			return OutOfBounds, fmt.Sprintf("%s is %d, and %s has %d elements", s.line[i+2].text, index, s.line[i].text, n)
		}
	}
	return "", ""
}

func (s scene) index(t token) (int64, bool) {
	if t.kind == numberToken {
		return parseNumber(t.text)
	}
	return s.number(t.text)
}

func (s scene) length(name string) (int64, bool) {
	for _, form := range []string{"len(%s)", "%s.len", "%s.size", "%s.length"} {
		if n, ok := s.number(fmt.Sprintf(form, name)); ok {
			return n, true
		}
	}
	return 0, false
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

func badSignal(s scene) (Kind, string) {
	if kind, reason := badIndex(s); kind != "" {
		return kind, reason
	}
	sig := signals[s.site.Signal]
	return sig.kind, sig.reason
}

// lineTokens are the tokens of one line of a text.
func lineTokens(ctx context.Context, lang *language, text string) []token {
	tokens, err := lex(ctx, lang, text)
	if err != nil {
		return nil
	}
	return tokens
}
