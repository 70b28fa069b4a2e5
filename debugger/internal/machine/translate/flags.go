package translate

import (
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// Short names of the arithmetic flags.
const (
	carry      = x86.CarryFlag
	parity     = x86.ParityFlag
	adjust     = x86.AdjustFlag
	zero       = x86.ZeroFlag
	sign       = x86.SignFlag
	overflow   = x86.OverflowFlag
	arithmetic = x86.ArithmeticFlags
)

// lookAhead is the number of instructions within which flags must be overwritten.
const lookAhead = 12

// DeadFlags returns the arithmetic flags that the program overwrites before it reads
// them when it continues at pc, as far as that is certain. Translated code changes
// such flags. To make states of a program comparable, clear them.
func DeadFlags(fetch Fetcher, pc uint64) uint64 {
	dead, open := uint64(0), uint64(arithmetic)
	b := make([]byte, x86.MaxLen)
	for range lookAhead {
		in, code, err := fetch.decodeInto(b, pc)
		if err != nil || isNative(&in, code) {
			break
		}
		reads, writes, certain := flagUse(&in)
		open &^= reads
		if !certain {
			break
		}
		dead |= open & writes
		open &^= writes
		if open == 0 || in.Class&(x86.Return|x86.Indirect|x86.Cond) != 0 {
			break
		}
		pc = in.Next()
		if target, ok := in.Target(); ok {
			pc = target
		}
	}
	return dead
}

// flagsDead reports whether the program overwrites all arithmetic flags before it reads
// them when it continues at pc.
func (t *translation) flagsDead(pc uint64) bool {
	if dead, ok := t.Dead[pc]; ok {
		return dead == arithmetic
	}
	dead := DeadFlags(t.Fetch, pc)
	if t.Dead != nil {
		t.Dead[pc] = dead
	}
	return dead == arithmetic
}

// flagUse returns the flags that an instruction reads, and those that it overwrites
// always. It is not certain of instructions after which it cannot say what happens.
func flagUse(in *x86.Inst) (reads, writes uint64, certain bool) {
	if in.Class&(x86.Syscall|x86.PushFlags) != 0 {
		return arithmetic, 0, false
	}
	name := in.Name()
	if use, ok := flagTable[name]; ok {
		return use.reads, use.writes, true
	}
	switch name {
	case "shl", "shr", "sar":
		return 0, shiftWrites(in), true
	}
	if cc, ok := conditionOf(name); ok {
		return cc, 0, true
	}
	return 0, 0, true
}

// shiftWrites returns the flags that a shift overwrites. A count of 0 changes no
// flag, and the overflow flag is defined for a count of 1 only.
func shiftWrites(in *x86.Inst) uint64 {
	count := in.Operand(1)
	if count.Kind != x86.Immediate || count.Value&31 == 0 {
		return 0
	}
	return carry | parity | zero | sign
}

// conditionOf returns the flags that the condition in a name reads.
func conditionOf(name string) (uint64, bool) {
	for _, stem := range []string{"fcmov", "cmov", "set", "j"} {
		if cc, ok := strings.CutPrefix(name, stem); ok {
			flags, ok := conditionFlags[cc]
			return flags, ok
		}
	}
	return arithmetic, strings.HasPrefix(name, "cmp") && strings.HasSuffix(name, "xadd")
}

// conditionFlags has the flags of conditions. The last rows are of fcmov.
var conditionFlags = map[string]uint64{
	"o": overflow, "no": overflow, "b": carry, "ae": carry, "e": zero, "ne": zero,
	"be": carry | zero, "a": carry | zero, "s": sign, "ns": sign, "p": parity, "np": parity,
	"l": sign | overflow, "ge": sign | overflow, "le": sign | overflow | zero, "g": sign | overflow | zero,
	"nb": carry, "nbe": carry | zero, "u": parity, "nu": parity,
}

// flagTable has the other instructions whose use of flags matters here, by name.
// Logical operations clear the adjust flag on all processors, though the manuals
// leave it undefined.
var flagTable = func() map[string]struct{ reads, writes uint64 } {
	table := make(map[string]struct{ reads, writes uint64 })
	for _, row := range []struct {
		names         string
		reads, writes uint64
	}{
		{"add sub cmp neg and or xor test xadd cmpxchg popcnt", 0, arithmetic},
		{"ucomiss ucomisd comiss comisd vucomiss vucomisd vcomiss vcomisd ptest vptest", 0, arithmetic},
		{"adc sbb", carry, arithmetic},
		{"inc dec", 0, arithmetic &^ carry},
		{"mul imul", 0, carry | overflow},
		{"andn blsi blsr blsmsk", 0, carry | zero | sign | overflow},
		{"lzcnt tzcnt", 0, carry | zero},
		{"bt bts btr btc stc clc", 0, carry},
		{"cmc rcl rcr adcx", carry, 0},
		{"adox", overflow, 0},
		{"loope loopne", zero, 0},
		{"lahf", arithmetic &^ overflow, 0},
		{"sahf", 0, arithmetic &^ overflow},
	} {
		for name := range strings.FieldsSeq(row.names) {
			table[name] = struct{ reads, writes uint64 }{row.reads, row.writes}
		}
	}
	return table
}()
