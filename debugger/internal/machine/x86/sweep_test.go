package x86_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// sweepSlot is the distance between the encodings of TestSweep. The bytes after
// each are filled with nops.
const sweepSlot = 16

// TestSweep walks through every opcode of every map, with each mandatory prefix,
// W, vector length, mask and broadcast, and with memory and a register. What
// this package and objdump both know must have one length and one spelling.
func TestSweep(t *testing.T) {
	sample.OnlyWhole(t)
	code := sweep()
	file := filepath.Join(t.TempDir(), "sweep")
	if err := os.WriteFile(file, code, 0o600); err != nil {
		t.Fatal(err)
	}
	o := oracle{t: t}
	unknown := 0
	objdump(t, sweepSlot, func(l line) bool {
		if data(l.text) || strings.Contains(l.text, "bad") || prefixOnly(l) || bytes.Contains(l.code[:min(2, len(l.code))], []byte{0x9b}) {
			return true
		}
		in, err := x86.Decode(code[l.pc:l.pc+x86.MaxLen], l.pc)
		if err != nil {
			unknown++
			return true
		}
		o.total++
		o.checkEncoding(l, &in)
		return true
	}, "-D", "-b", "binary", "-m", "i386:x86-64", file)
	t.Logf("%d encodings compared, %d known to objdump alone", o.total, unknown)
	if unknown > o.total/50 {
		t.Errorf("%d encodings are unknown, of which %d are known to objdump", unknown, o.total+unknown)
	}
}

func (o *oracle) checkEncoding(l line, in *x86.Inst) {
	o.t.Helper()
	if in.Class.Is(x86.Barrier) && l.code[0] == 0x66 {
		return // branches with 66, where objdump sides with AMD
	}
	if int(in.Len) != len(l.code) {
		o.fault(l, "length %d", in.Len)
		return
	}
	text := in.Text(nil)
	got, want := canonical(text), canonical(l.text)
	if got.name == want.name && same(got.ops, want.ops) {
		return
	}
	for _, d := range differences {
		if d.MatchString(l.text) {
			return
		}
	}
	o.fault(l, "got %q", text)
}

// differences are where objdump knows better, worse, or otherwise, and nothing
// depends on it.
var differences = compileAll(
	`BCST`,                                // a width by W where the manual refuses that W
	idle+`(ins|outs|movs|stos|lods) `,     // F2 repeats these as F3 does
	idle+`(bswap|xchg|nop|tpause|umwait)`, // an operand size that means nothing
	idle+`v?(movmsk|pmovmskb|pcmpestr)`,
	idle+`(call|jmp|sysret|iret|l[sfg]s)`,
	`^({evex} )?vmovs[sd] +[yz]mm`, // a slip of objdump's
	`^cmp[nz].*xadd`,               // cmpnbxadd is cmpaexadd
)

// idle are prefixes in front of a name.
const idle = `^((data16|rex.W|repn?z) )*`

func compileAll(expressions ...string) []*regexp.Regexp {
	compiled := make([]*regexp.Regexp, len(expressions))
	for n, e := range expressions {
		compiled[n] = regexp.MustCompile(e)
	}
	return compiled
}

// A sweeper collects encodings.
type sweeper struct{ out []byte }

func (s *sweeper) add(parts ...[]byte) {
	slot := bytes.Repeat([]byte{0x90}, sweepSlot)
	copy(slot[:x86.MaxLen], bytes.Join(parts, nil))
	s.out = append(s.out, slot...)
}

// operandBytes are ModRM bytes, with what follows, for memory and a register.
func operandBytes(reg byte) [][]byte {
	rest := []byte{0x7f, 0x7f, 0x7f, 0x7f}
	return [][]byte{
		append([]byte{0x03 | reg<<3}, rest...),
		append([]byte{0x44 | reg<<3, 0x8b, 0x10}, rest...),
		append([]byte{0xc3 | reg<<3}, rest...),
	}
}

func sweep() []byte {
	var s sweeper
	s.legacy()
	for m := byte(1); m <= 3; m++ {
		for bits := range byte(16) { // W, L, pp
			s.vex(m, bits>>3, bits>>2&1, bits&3)
		}
	}
	for _, m := range []byte{1, 2, 3, 5, 6} {
		for bits := range byte(16) { // L', W, pp
			s.evex(m, bits>>2&1, bits>>3<<1, bits&3)
		}
	}
	return s.out
}

func (s *sweeper) legacy() {
	prefixes := [][]byte{nil, {0x66}, {0xf3}, {0xf2}, {0x48}, {0x66, 0x48}, {0xf3, 0x48}, {0xf2, 0x48}}
	escapes := [][]byte{nil, {0x0f}, {0x0f, 0x38}, {0x0f, 0x3a}}
	for _, prefix := range prefixes {
		for _, escape := range escapes {
			for op := range 256 {
				if leavesMap(byte(op), len(escape)) {
					continue
				}
				for reg := range byte(8) {
					for _, operands := range operandBytes(reg) {
						s.add(prefix, escape, []byte{byte(op)}, operands, []byte{0x12, 0x34})
					}
				}
			}
		}
	}
}

// leavesMap reports whether a byte is no opcode of its map, but a prefix or an
// escape to another.
func leavesMap(op byte, escapes int) bool {
	switch escapes {
	case 0:
		return op&0xf0 == 0x40 || bytes.IndexByte([]byte("\x0f\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3\xc4\xc5\x62"), op) >= 0
	case 1:
		return op == 0x38 || op == 0x3a
	}
	return false
}

func (s *sweeper) vex(m, w, l, pp byte) {
	for op := range 256 {
		for _, c := range [][2]byte{{1, 10}, {2, 15}, {3, 15}} { // reg, inverted vvvv
			for _, operands := range operandBytes(c[0]) {
				s.add([]byte{0xc4, 0xe0 | m, w<<7 | c[1]<<3 | l<<2 | pp, byte(op)}, operands)
			}
		}
	}
}

func (s *sweeper) evex(m, w, l, pp byte) {
	cases := []struct{ reg, vvvv, mask, bcst byte }{{1, 10, 0, 0}, {2, 15, 0, 0}, {3, 15, 2, 0}, {1, 10, 3, 1}, {4, 15, 1, 1}}
	for op := range 256 {
		for _, c := range cases {
			prefix := []byte{0x62, 0xf0 | m, w<<7 | c.vvvv<<3 | 4 | pp, l<<5 | c.bcst<<4 | 8 | c.mask, byte(op)}
			operands := operandBytes(c.reg)
			s.add(prefix, operands[1])
			s.add(prefix, operands[2])
		}
	}
}
