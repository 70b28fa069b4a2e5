package x86_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// readers are the mnemonics whose first operand, if it is memory, is only read.
// A name that ends in a star stands for all that begin so.
var readers = strings.Fields(`
	cmp test bt push call jmp nop mul imul div idiv prefetch* clflush* clwb cldemote
	ldmxcsr vldmxcsr fld fild fldcw fldenv frstor fbld fxrstor* xrstor*
	fadd fmul fcom fcomp fsub fsubr fdiv fdivr fiadd fimul ficom ficomp fisub fisubr fidiv fidivr
	lldt ltr verr verw lmsw lgdt lidt invlpg vgatherpf* vscatterpf* ptwrite
	vmptrld vmxon ldtilecfg`)

func isReader(name string) bool {
	return slices.ContainsFunc(readers, func(r string) bool {
		if prefix, star := strings.CutSuffix(r, "*"); star {
			return strings.HasPrefix(name, prefix)
		}
		return r == name
	})
}

// pushed has the mnemonics that write below the stack pointer.
var pushed = map[string]uint64{"push": 8, "call": 8, "pushf": 8, "enter": 8, "pushw": 2, "callw": 2, "pushfw": 2}

var (
	ptrSizes = map[string]uint64{
		"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "FWORD": 6, "TBYTE": 10,
		"XMMWORD": 16, "OWORD": 16, "YMMWORD": 32, "ZMMWORD": 64,
	}
	// bare are widths that objdump does not write.
	bare = map[string]uint64{
		"fxsave": 512, "fxsave64": 512, "fnstenv": 28, "fnsave": 108, "sgdt": 10, "sidt": 10,
		"xsave": 576, "xsave64": 576, "xsavec": 576, "xsavec64": 576, "xsaveopt": 576, "xsaves": 576,
	}
	ptrWord   = regexp.MustCompile(`\b([A-Z]+) (?:PTR|BCST) `)
	ripTarget = regexp.MustCompile(`# (?:0x)?([0-9a-f]+)`)
	bitNames  = map[string]bool{"bts": true, "btr": true, "btc": true}
)

// storesOf works out from objdump's text what an instruction stores. It is
// certain of everything but bit strings, whose offset is in a register.
func storesOf(l line, r *x86.Regs) (stores []x86.Span, certain bool) {
	words := strings.Fields(l.text)
	for len(words) > 1 && isPrefix(words[0]) {
		words = words[1:]
	}
	name := words[0]
	operands := strings.TrimSpace(l.text[strings.Index(l.text, name)+len(name):])
	if n := pushed[name]; n != 0 {
		if slices.Contains(l.code, 0x66) && !strings.HasPrefix(name, "call") && l.code[0] != 0x68 {
			n = 2 // at least
		}
		stores = append(stores, x86.Span{Addr: r.GPR[x86.RSP] - n, Len: n})
	}
	first, _, _ := strings.Cut(operands, ",")
	if !strings.ContainsAny(first, "[:") || isReader(name) || strings.HasPrefix(name, "j") {
		return stores, true
	}
	if bitNames[name] && !strings.Contains(operands, ",0x") {
		return nil, false
	}
	if stringOps[name] {
		return stringStores(l, name, first, r), true
	}
	return append(stores, explicitStore(l, name, first, r)), true
}

// stringStores is for the operations whose first operand is [rdi].
func stringStores(l line, name, first string, r *x86.Regs) []x86.Span {
	if name == "cmps" || name == "scas" || !strings.Contains(first, "di]") {
		return nil
	}
	addr := r.GPR[x86.RDI]
	if strings.Contains(first, "[edi]") {
		addr &= 0xffffffff
	}
	return []x86.Span{{Addr: addr, Len: ptrSizes[ptrWord.FindStringSubmatch(first)[1]]}}
}

func explicitStore(l line, name, operand string, r *x86.Regs) x86.Span {
	s := x86.Span{Len: max(bare[name], 1)}
	if m := ptrWord.FindStringSubmatch(operand); m != nil {
		s.Len = ptrSizes[m[1]]
	}
	if strings.Contains(operand, "[rip") {
		s.Addr, _ = strconv.ParseUint(ripTarget.FindStringSubmatch(l.text)[1], 16, 64)
	} else {
		s.Addr = sum(operand, r, name == "pop")
	}
	switch {
	case strings.Contains(operand, "fs:"):
		s.Addr += r.FSBase
	case strings.Contains(operand, "gs:"):
		s.Addr += r.GSBase
	}
	return s
}

var term = regexp.MustCompile(`([+-]?)(0x[0-9a-f]+|[a-z][a-z0-9]*)(?:\*([1248]))?`)

// sum adds up what stands between the brackets of an operand, or behind the
// colon of one without.
func sum(operand string, r *x86.Regs, pop bool) uint64 {
	inner := operand
	if _, rest, ok := strings.Cut(operand, "["); ok {
		inner, _, _ = strings.Cut(rest, "]")
	} else if _, rest, ok := strings.Cut(operand, ":"); ok {
		inner = rest
	}
	var total uint64
	narrow := false
	for _, m := range term.FindAllStringSubmatch(inner, -1) {
		value, short := termValue(m[2], r)
		narrow = narrow || short
		if m[3] != "" {
			value *= uint64(m[3][0] - '0')
		}
		if m[1] == "-" {
			value = -value
		}
		if pop && m[2] == "rsp" {
			value += 8
		}
		total += value
	}
	if narrow {
		total &= 0xffffffff
	}
	return total
}

var (
	gprNames   = strings.Fields("rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15")
	gprNames32 = strings.Fields("eax ecx edx ebx esp ebp esi edi r8d r9d r10d r11d r12d r13d r14d r15d")
)

func termValue(s string, r *x86.Regs) (value uint64, narrow bool) {
	if i := slices.Index(gprNames, s); i >= 0 {
		return r.GPR[i], false
	}
	if i := slices.Index(gprNames32, s); i >= 0 {
		return r.GPR[i], true
	}
	value, _ = strconv.ParseUint(strings.TrimPrefix(s, "0x"), 16, 64) // riz and eiz are 0
	return value, s == "eiz"
}
