package bugs

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// pageZero is the size of the memory at address 0 that systems leave unmapped.
const pageZero = 64 << 10

// stackDistance is the maximum distance from the stack pointer at which an access
// counts as an access to the stack.
const stackDistance = 1 << 20

// poisons lists byte patterns with which allocators and compilers fill memory.
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

// poisoned detects pointers that consist of such a pattern.
func poisoned(s evidence) (Kind, string) {
	for _, where := range s.pointers() {
		for _, p := range poisons {
			if near(where.value, p.value) || near(where.value, p.value<<32|p.value) {
				return p.kind, fmt.Sprintf("%s is 0x%x, and 0x%x %s", where.name, where.value, p.value, p.reason)
			}
		}
	}
	return "", ""
}

// near reports whether v may be the address of a member of an object at base.
func near(v, base uint64) bool {
	return v-base < 4096
}

// A named is a value with a name.
type named struct {
	name  string
	value uint64
}

// pointers returns the address of the fault and the values that the line or the
// instruction mentions.
func (s evidence) pointers() []named {
	var found []named
	if s.site.FaultAddress != nil {
		found = append(found, named{"the fault address", *s.site.FaultAddress})
	}
	for _, name := range s.mentioned() {
		if v, ok := s.number(name); ok {
			found = append(found, named{name, uint64(v)})
		}
	}
	return found
}

// mentioned returns the names on the line and the registers that form an address
// in the instruction.
func (s evidence) mentioned() []string {
	var names []string
	for i, t := range s.line {
		if t.Kind == syntax.NameToken && (i == 0 || !joiner(s.line[i-1].Text)) {
			names = append(names, pathText(s.line, i), t.Text)
		}
	}
	_, operand, _ := strings.Cut(s.site.Instruction, "[")
	operand, _, _ = strings.Cut(operand, "]")
	names = append(names, strings.FieldsFunc(operand, func(r rune) bool { return strings.ContainsRune("+-* ", r) })...)
	return slices.Compact(names)
}

// nullAddress detects an access at or shortly after address 0.
func nullAddress(s evidence) (Kind, string) {
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
// that is not canonical. For those the kernel reports a fault at address 0.
func (s evidence) nonCanonical() bool {
	return slices.ContainsFunc(s.pointers(), func(p named) bool {
		return p.value > 1<<47 && p.value < math.MaxUint64-1<<47
	})
}

// nullPointer returns the name of a null pointer on the line.
func (s evidence) nullPointer() (string, bool) {
	for _, name := range s.mentioned() {
		if text, ok := s.site.Values[name]; ok && isNull(text) {
			return name, true
		}
	}
	return "", false
}

// isNull reports whether a value is a null pointer, as any of the languages
// writes it.
func isNull(text string) bool {
	switch strings.ToLower(text) {
	case "null", "nil", "none", "nullptr", "undefined", "<nil>", "(null)", "0x0":
		return true
	default:
		v, ok := parseNumber(text)
		return ok && v == 0 && strings.HasPrefix(text, "0x")
	}
}

// overflowedStack detects an access near the stack pointer that faulted, which
// means that it hit the guard page.
func overflowedStack(s evidence) (Kind, string) {
	at := s.site.FaultAddress
	if s.site.Signal != "SIGSEGV" || at == nil || *at < pageZero {
		return "", ""
	}
	for _, name := range []string{"rsp", "esp", "sp"} {
		sp, ok := s.number(name)
		if ok && distance64(uint64(sp), *at) < stackDistance {
			return StackOverflow, fmt.Sprintf("address 0x%x is next to the stack pointer and not mapped", *at)
		}
	}
	return "", ""
}

func distance64(a, b uint64) uint64 {
	return max(a, b) - min(a, b)
}
