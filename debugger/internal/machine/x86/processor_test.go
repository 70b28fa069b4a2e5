package x86_test

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/cpuid"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// What an instruction is depends on the processor.
func TestDecodeByProcessor(t *testing.T) {
	other := x86.Processor{Maker: "CentaurHauls"}
	for _, test := range []struct{ code, intel, amd, other string }{
		{"90", "nop", "nop", "nop"},
		{"66 90", "nop", "nop", "nop"},
		{"f3 90", "pause", "pause", "pause"},
		{"f3 48 90", "pause", "pause", "pause"},
		{"41 90", "xchg r8d, eax", "xchg r8d, eax", "xchg r8d, eax"},
		{"49 90", "xchg r8, rax", "xchg r8, rax", "xchg r8, rax"},
		{"f3 41 90", "pause", "xchg r8d, eax", ""},
		{"f3 45 90", "pause", "xchg r8d, eax", ""},
		{"f3 4f 90", "pause", "xchg r8, rax", ""},
		{"f3 41 91", "xchg r9d, eax", "xchg r9d, eax", "xchg r9d, eax"},
	} {
		code, err := hex.DecodeString(strings.ReplaceAll(test.code, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		for p, want := range map[x86.Processor]string{x86.Intel: test.intel, x86.AMD: test.amd, x86.Hygon: test.amd, other: test.other} {
			in, err := p.Decode(code, 0)
			if got := in.Text(nil); (err != nil) != (want == "") || err == nil && (got != want || int(in.Len) != len(code)) {
				t.Errorf("%s on %s: %q of %d bytes, %v, want %q", test.code, p.Maker, got, in.Len, err, want)
			}
		}
	}
}

func TestProcessorOf(t *testing.T) {
	for maker, want := range map[string]x86.Processor{
		"GenuineIntel": x86.Intel, "AuthenticAMD": x86.AMD, "HygonGenuine": x86.Hygon, "  Shanghai  ": {Maker: "  Shanghai  "},
	} {
		word := func(at int) uint32 { return binary.LittleEndian.Uint32([]byte(maker)[at:]) }
		if got := x86.ProcessorOf(func(leaf, _ uint32) cpuid.Answer {
			if leaf != 0 {
				return cpuid.Answer{}
			}
			return cpuid.Answer{EBX: word(0), EDX: word(4), ECX: word(8)}
		}); got != want {
			t.Errorf("%q: %+v", maker, got)
		}
	}
}
