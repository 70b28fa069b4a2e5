package x86

import (
	"fmt"
	"strconv"
	"strings"
)

// A Symbolizer names an address: the symbol that holds it and how far inside it
// is. A nil one knows no names.
type Symbolizer func(addr uint64) (name string, off uint64, ok bool)

// Text decodes the instruction at the start of code, which has the address
// pc, and returns it in Intel syntax:
//
//	mov rax, [rbx+8]
//	call 0x401136 <main>
//	mov rax, [rip+0x2ff3] # 0x404040 <stdout>
//	add dword ptr [rbp-0x14], 1
//
// The width of memory is said where no register tells it. Numbers below ten
// are decimal, others hexadecimal; those whose sign the instruction extends
// are signed. Unknown bytes are listed.
func Text(code []byte, pc uint64, symbolize Symbolizer) string {
	in, err := Decode(code, pc)
	if err != nil {
		n := max(int(in.Len), 1)
		return fmt.Sprintf("(unknown: % x)", code[:min(len(code), n)])
	}
	return in.Text(symbolize)
}

// Text returns the instruction as text, as the function [Text] does.
func (in *Inst) Text(symbolize Symbolizer) string {
	return string(in.AppendText(make([]byte, 0, 64), symbolize))
}

// AppendText appends what [Inst.Text] returns to dst.
func (in *Inst) AppendText(dst []byte, symbolize Symbolizer) []byte {
	if in.row == nil {
		return append(dst, "(unknown)"...)
	}
	dst = in.appendPrefix(dst)
	dst = in.appendName(dst)
	if in.row.attr&hideOps != 0 {
		return dst
	}
	t := text{in: *in, dst: dst, symbolize: symbolize}
	t.operands()
	t.comment()
	return t.dst
}

// appendPrefix appends the prefixes that mean something and are not seen
// elsewhere.
func (in *Inst) appendPrefix(dst []byte) []byte {
	if in.bits&bitLock != 0 {
		dst = append(dst, "lock "...)
	}
	if in.row.attr&hideOps != 0 && in.Mem.Seg != NoReg && in.row.attr&blockRep != 0 {
		dst = append(append(dst, segmentName(in.Mem.Seg)...), ' ')
	}
	if in.Class&Repeat == 0 {
		return dst
	}
	return append(dst, in.repeatName()...)
}

// repeatName appends the repeat prefix: comparisons end on a flag, too.
func (in *Inst) repeatName() string {
	switch {
	case in.row.attr&readOnly == 0:
		return "rep "
	case in.bits&bitF2 != 0:
		return "repne "
	}
	return "repe "
}

func (in *Inst) appendName(dst []byte) []byte {
	a := in.row.attr
	if in.bits&bitAddV != 0 {
		dst = append(dst, 'v')
	}
	name := in.row.name
	switch {
	case a&bySize != 0:
		name = alternative(name, sizeIndex(in.opsize))
	case a&nameW != 0:
		name = alternative(name, int(in.pick(0, 1)))
	}
	if p := in.predicate(); p != "" {
		return appendPredicate(dst, name, p)
	}
	dst = append(dst, name...)
	switch {
	case a&suffixDQ != 0:
		return append(dst, "dq"[in.pick(0, 1)])
	case a&suffixSD != 0:
		return append(dst, "sd"[in.pick(0, 1)])
	}
	return dst
}

func sizeIndex(n uint8) int {
	switch n {
	case 2:
		return 0
	case 4:
		return 1
	}
	return 2
}

// alternative returns the n-th of names with slashes between them.
func alternative(names string, n int) string {
	for ; n > 0; n-- {
		_, names, _ = strings.Cut(names, "/")
	}
	name, _, _ := strings.Cut(names, "/")
	return name
}

// predicate returns the word for the last operand of a comparison, or "" if
// that is to be shown as a number.
func (in *Inst) predicate() string {
	a := in.row.attr
	switch {
	case a&predInt != 0 && in.Imm < 8:
		return intPredicates[in.Imm]
	case a&predFP != 0 && (in.Imm < 8 || in.Imm < 32 && in.bits&bitVEX != 0):
		return fpPredicates[in.Imm]
	}
	return ""
}

// appendPredicate inserts the predicate after the "cmp" of the name.
func appendPredicate(dst []byte, name, predicate string) []byte {
	i := strings.Index(name, "cmp") + len("cmp")
	dst = append(dst, name[:i]...)
	dst = append(dst, predicate...)
	return append(dst, name[i:]...)
}

// comment appends the target of an address relative to rip.
func (t *text) comment() {
	if t.in.Class&Memory == 0 || t.in.Mem.Base != RIP {
		return
	}
	t.dst = append(t.dst, " # "...)
	addr := t.in.Next() + uint64(t.in.Mem.Disp)
	if t.in.bits&bitAddr32 != 0 {
		addr &= 0xffffffff
	}
	t.address(addr)
}

// address appends an address and its name.
func (t *text) address(addr uint64) {
	t.dst = append(t.dst, "0x"...)
	t.dst = strconv.AppendUint(t.dst, addr, 16)
	if t.symbolize == nil {
		return
	}
	name, off, ok := t.symbolize(addr)
	if !ok {
		return
	}
	t.dst = append(append(t.dst, " <"...), name...)
	if off != 0 {
		t.dst = append(t.dst, '+')
		t.dst = appendNumber(t.dst, off)
	}
	t.dst = append(t.dst, '>')
}

// appendNumber appends a number: decimal below ten, hexadecimal from there on.
func appendNumber(dst []byte, n uint64) []byte {
	if n < 10 {
		return append(dst, '0'+byte(n))
	}
	return strconv.AppendUint(append(dst, "0x"...), n, 16)
}
