package ptrace_test

import (
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// Ranges that touch become one.
func TestAppendRange(t *testing.T) {
	var got []ptrace.Range
	for _, r := range []ptrace.Range{{1, 3}, {3, 5}, {6, 7}, {6, 9}, {7, 8}, {10, 11}} {
		got = ptrace.AppendRange(got, r)
	}
	if want := []ptrace.Range{{1, 5}, {6, 9}, {10, 11}}; !slices.Equal(got, want) {
		t.Errorf("ranges %v, want %v", got, want)
	}
}
