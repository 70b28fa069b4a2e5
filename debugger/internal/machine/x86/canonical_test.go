package x86_test

import (
	"regexp"
	"strconv"
	"strings"
)

// A shape is an instruction without the differences of spelling between
// objdump and this package.
type shape struct {
	name string
	ops  string // with the memory operand's width removed
	size string // that width: "byte" … "zmmword", or ""
}

// What objdump says besides the instruction: prefixes that mean nothing.
var noisePrefixes = map[string]bool{
	"data16": true, "addr32": true, "cs": true, "ds": true, "es": true, "ss": true,
	"bnd": true, "notrack": true, "xacquire": true, "xrelease": true, "{vex}": true, "{evex}": true,
}

var (
	comments   = regexp.MustCompile(`\s*(#.*|<[^>]*>)`)
	widths     = regexp.MustCompile(`(?i)\b(byte|word|dword|qword|fword|tbyte|xmmword|ymmword|zmmword|oword) (ptr|bcst) `)
	deadSeg    = regexp.MustCompile(`\b(cs|ds|es|ss):`)
	scaleOne   = regexp.MustCompile(`\*1\b`)
	noIndex    = regexp.MustCompile(`\+?[re]iz(\*\d)?`)
	zeroDisp   = regexp.MustCompile(`([a-z0-9])[+-]0x0\]`)
	hexNumber  = regexp.MustCompile(`-?\b0x[0-9a-f]+\b`)
	absolute   = regexp.MustCompile(`\b([c-gs]s):(0x[0-9a-f]+)`)
	farAbove   = regexp.MustCompile(`\+0x[89a-f][0-9a-f]{15}\b`)
	branches   = regexp.MustCompile(`^(j|call|loop|xbegin)`)
	bareTarget = regexp.MustCompile(`^[0-9a-f]+$`)
	broadcast  = regexp.MustCompile(`\{1to\d+\}`)
)

// synonyms are mnemonics that mean the same.
var synonyms = map[string]string{
	"movabs": "mov", "repz": "repe", "repnz": "repne", "fwait": "wait",
	"sal": "shl", "iretd": "iret",
	"callf": "call", "jmpf": "jmp", "xlatb": "xlat",
	"pushw": "push", "popw": "pop", "retw": "ret", "retfw": "retf", "enterw": "enter", "leavew": "leave",
	"fldenvw": "fldenv", "fnstenvw": "fnstenv", "frstorw": "frstor", "fnsavew": "fnsave",
}

// rewritten are whole instructions that objdump spells another way.
var rewritten = map[shape]shape{
	{name: "xchg", ops: "ax,ax"}:               {name: "nop"}, // 66 90
	{name: "xlat", ops: "[rbx]", size: "byte"}: {name: "xlat"},
}

// canonical turns either spelling into a shape.
func canonical(text string) shape {
	text = strings.ToLower(text)
	text = comments.ReplaceAllString(text, "")
	words := strings.Fields(text)
	prefix := ""
	for len(words) > 1 && isPrefix(words[0]) {
		if w := words[0]; !noisePrefixes[w] && !strings.HasPrefix(w, "rex") {
			prefix += synonym(w) + " "
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return shape{}
	}
	s := shape{name: prefix + synonym(words[0])}
	ops := strings.Join(words[1:], " ")
	if branches.MatchString(words[0]) && bareTarget.MatchString(ops) {
		ops = "0x" + ops // objdump writes targets without it
	}
	s.operands(ops)
	s.strings()
	s.carryless()
	if r, ok := rewritten[s]; ok {
		return r
	}
	return s
}

func synonym(w string) string {
	if s, ok := synonyms[w]; ok {
		return s
	}
	return w
}

func isPrefix(w string) bool {
	switch w {
	case "lock", "rep", "repe", "repz", "repne", "repnz", "fs", "gs":
		return true
	}
	return noisePrefixes[w] || strings.HasPrefix(w, "rex")
}

// operands rewrites addresses and numbers.
func (s *shape) operands(ops string) {
	if m := widths.FindStringSubmatch(ops); m != nil {
		s.size = m[1]
	}
	ops = widths.ReplaceAllString(ops, "")
	ops = broadcast.ReplaceAllString(ops, "")
	ops = absolute.ReplaceAllString(ops, "$1:[$2]")
	ops = farAbove.ReplaceAllStringFunc(ops, negative)
	ops = deadSeg.ReplaceAllString(ops, "")
	ops = noIndex.ReplaceAllString(ops, "")
	ops = strings.ReplaceAll(ops, "[+", "[")
	ops = scaleOne.ReplaceAllString(ops, "")
	ops = zeroDisp.ReplaceAllString(ops, "$1]")
	ops = strings.ReplaceAll(ops, ", ", ",")
	s.ops = hexNumber.ReplaceAllStringFunc(ops, number)
}

// negative turns "+0xfffffffffffffff8" into "-0x8".
func negative(s string) string {
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "+0x"), 16, 64)
	if err != nil {
		return s
	}
	return "-0x" + strconv.FormatUint(-n, 16)
}

// number spells a number in decimal.
func number(s string) string {
	digits, negative := strings.CutPrefix(s, "-")
	n, err := strconv.ParseUint(strings.TrimPrefix(digits, "0x"), 16, 64)
	switch {
	case err != nil:
		return s
	case negative:
		return "-" + strconv.FormatUint(n, 10)
	}
	return strconv.FormatUint(n, 10)
}

// carryless gives the four names of pclmulqdq back their number.
func (s *shape) carryless() {
	for name, number := range map[string]string{"lqlq": "0", "hqlq": "1", "lqhq": "16", "hqhq": "17"} {
		if before, ok := strings.CutSuffix(s.name, "pclmul"+name+"dq"); ok {
			s.name, s.ops = before+"pclmulqdq", s.ops+","+number
			return
		}
	}
}

// stringOps are the mnemonics whose operands this package leaves out, and
// objdump puts behind a name without a width.
var stringOps = map[string]bool{"movs": true, "stos": true, "lods": true, "cmps": true, "scas": true, "ins": true, "outs": true}

// strings gives objdump's string operations a name with a width.
func (s *shape) strings() {
	i := strings.LastIndex(s.name, " ") + 1
	if stringOps[s.name[i:]] {
		if strings.Contains(s.ops, "fs:") {
			s.name = s.name[:i] + "fs " + s.name[i:]
		}
		s.name += s.size[:1]
		s.ops, s.size = "", ""
	} else if !stringOps[strings.TrimRight(s.name[i:], "bwdq")] {
		for _, idle := range []string{"repe ", "repne ", "rep ", "fs ", "gs "} {
			s.name = strings.ReplaceAll(s.name, idle, "")
		}
	}
}

// same reports whether the operands are equal, where this package may have
// written the last number with a sign.
func same(got, want string) bool {
	if got == want {
		return true
	}
	i := strings.LastIndexByte(got, ',') + 1
	if i == 0 || !strings.HasPrefix(got[i:], "-") || !strings.HasPrefix(want, got[:i]) {
		if !strings.HasPrefix(got, "-") {
			return false
		}
	}
	a, err1 := strconv.ParseUint(got[i+1:], 10, 64)
	b, err2 := strconv.ParseUint(want[min(i, len(want)):], 10, 64)
	sum := a + b
	return err1 == nil && err2 == nil && (sum == 0 || sum == 1<<8 || sum == 1<<16 || sum == 1<<32)
}
