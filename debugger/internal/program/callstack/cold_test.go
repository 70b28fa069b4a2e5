package callstack_test

import (
	"debug/elf"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbolstest"
)

// A part of a function that lies before it has an offset below zero, which is
// the distance of the compiler's own symbols for both.
func TestCold(t *testing.T) {
	exe := symbolstest.Compile(t, "cold.c", "-O2", "-no-pie")
	file, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	at := map[string]uint64{}
	list, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		at[s.Name] = s.Value
	}
	cold, start := at["checked.cold"], at["checked"]
	if cold == 0 || cold >= start {
		t.Skipf("the compiler has not put checked.cold (%#x) before checked (%#x)", cold, start)
	}
	p := symbolstest.Open(t, exe, symbols.Config{})
	f, ok := p.Function(cold + p.Images()[0].Bias)
	if want := int64(cold) - int64(start); !ok || f.Name != "checked" || f.Offset != want {
		t.Errorf("%+v, %t; want checked and %d", f, ok, want)
	}
}

func TestFrameText(t *testing.T) {
	for _, tt := range []struct {
		offset int64
		want   string
	}{
		{0x1d, "0x401096 main+0x1d cold.c:12"},
		{0, "0x401096 main+0x0 cold.c:12"},
		{-13, "0x401096 main-0xd cold.c:12"},
	} {
		f := callstack.Frame{PC: 0x401096, Function: "main", Offset: tt.offset, File: "cold.c", Line: 12}
		if got := f.String(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
