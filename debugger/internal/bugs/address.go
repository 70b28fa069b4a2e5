package bugs

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// pageZero is the size of the memory that systems leave unmapped at address 0.
const pageZero = 64 << 10

// stackDistance is the distance from the stack pointer up to which an access counts as one
// to the stack.
const stackDistance = 1 << 20

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

// mentioned are the names on the line, and the registers that the instruction
// takes an address from.
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

// nullAddress sees an access at or shortly behind address 0.
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
// that the processor cannot translate; the kernel then reports address 0.
func (s evidence) nonCanonical() bool {
	return slices.ContainsFunc(s.pointers(), func(p named) bool {
		return p.value > 1<<47 && p.value < math.MaxUint64-1<<47
	})
}

// nullPointer finds what is null on the line.
func (s evidence) nullPointer() (string, bool) {
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

// overflowedStack sees an access near the stack pointer that faulted: the guard
// page was hit.
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
