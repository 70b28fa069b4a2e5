package bugs

import (
	"fmt"
)

// A Class is a coarse class of bugs, the pattern_type of the tool.
type Class string

// The classes.
const (
	Crash  Class = "crash"  // the program stops at the place itself
	Memory Class = "memory" // memory is misused, and the program may continue for a while
	Logic  Class = "logic"  // the program does not do what was meant
)

// ParseClass parses a class. The empty text stands for no class.
func ParseClass(text string) (Class, error) {
	switch c := Class(text); c {
	case "", Crash, Memory, Logic:
		return c, nil
	default:
		return "", fmt.Errorf("%q is not a class of bugs: crash, memory and logic are", text)
	}
}

// A Kind is a kind of bug. The empty Kind means that it is unknown.
type Kind string

// The kinds, as structured answers write them.
const (
	NullDereference     Kind = "null-dereference"
	DivisionByZero      Kind = "division-by-zero"
	OutOfBounds         Kind = "out-of-bounds"
	UnwrapFailure       Kind = "unwrap-failure"
	FailedAssertion     Kind = "failed-assertion"
	StackOverflow       Kind = "stack-overflow"
	BadConversion       Kind = "bad-conversion"
	MissingKey          Kind = "missing-key"
	UncheckedAllocation Kind = "unchecked-allocation"
	UseAfterFree        Kind = "use-after-free"
	DoubleFree          Kind = "double-free"
	BufferOverflow      Kind = "buffer-overflow"
	WildPointer         Kind = "wild-pointer"
	DanglingPointer     Kind = "dangling-pointer"
	Uninitialised       Kind = "uninitialised"
	ResourceLeak        Kind = "resource-leak"
	IntegerOverflow     Kind = "integer-overflow"
	UncheckedError      Kind = "unchecked-error"
	OffByOne            Kind = "off-by-one"
	WrongComparison     Kind = "wrong-comparison"
	SharedState         Kind = "shared-state"
	DataRace            Kind = "data-race"
)

// A kindRow describes a kind.
type kindRow struct {
	kind  Kind
	class Class
	title string
	near  []Kind // kinds that may be the cause of this one
}

// kinds has a row for every kind.
var kinds = []kindRow{
	{NullDereference, Crash, "Potential null pointer dereference", []Kind{UncheckedAllocation, UncheckedError, UnwrapFailure}},
	{DivisionByZero, Crash, "Potential division by zero", nil},
	{OutOfBounds, Crash, "Potential out-of-bounds access", []Kind{OffByOne, BufferOverflow, IntegerOverflow}},
	{UnwrapFailure, Crash, "Potential failure of an unchecked unwrap", []Kind{UncheckedError, FailedAssertion}},
	{FailedAssertion, Crash, "Potential failed assertion", []Kind{UnwrapFailure}},
	{StackOverflow, Crash, "Potential stack overflow", nil},
	{BadConversion, Crash, "Potential failure of an unchecked conversion", []Kind{NullDereference}},
	{MissingKey, Crash, "Potential access to a missing key", []Kind{OutOfBounds}},
	{UncheckedAllocation, Memory, "Potential use of an unchecked allocation", []Kind{NullDereference}},
	{UseAfterFree, Memory, "Potential use after free", []Kind{DoubleFree, DanglingPointer, WildPointer}},
	{DoubleFree, Memory, "Potential double free", []Kind{UseAfterFree}},
	{BufferOverflow, Memory, "Potential buffer overflow", []Kind{OutOfBounds, OffByOne, IntegerOverflow}},
	{WildPointer, Memory, "Potential use of a corrupt pointer", []Kind{UseAfterFree, Uninitialised, BufferOverflow, DanglingPointer}},
	{DanglingPointer, Memory, "Potential dangling pointer", []Kind{UseAfterFree}},
	{Uninitialised, Memory, "Potential use of an uninitialised value", []Kind{WildPointer}},
	{ResourceLeak, Memory, "Potential resource leak", nil},
	{IntegerOverflow, Logic, "Potential integer overflow", []Kind{BufferOverflow, OutOfBounds}},
	{UncheckedError, Logic, "Potential unchecked error", []Kind{NullDereference, UnwrapFailure}},
	{OffByOne, Logic, "Potential off-by-one error", []Kind{OutOfBounds, BufferOverflow}},
	{WrongComparison, Logic, "Potentially wrong comparison", nil},
	{SharedState, Logic, "Potentially shared mutable state", []Kind{DataRace}},
	{DataRace, Logic, "Potential data race", []Kind{SharedState}},
}

// rowOf returns the row of k, or an empty row if it is unknown.
func rowOf(k Kind) kindRow {
	for _, row := range kinds {
		if row.kind == k {
			return row
		}
	}
	return kindRow{kind: k}
}

// Class returns the class of k, or "" for the empty Kind.
func (k Kind) Class() Class { return rowOf(k).class }

// Title returns the name of k in words, as lists of findings show it.
func (k Kind) Title() string {
	if row := rowOf(k); row.title != "" {
		return row.title
	}
	return "Similar code"
}
