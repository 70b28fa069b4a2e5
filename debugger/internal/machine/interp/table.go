package interp

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// handlers holds the supported general instructions by name. All others are left
// to the processor.
var handlers = map[string]handler{
	"mov": move, "movabs": move, "movzx": move, "movsx": moveSigned, "movsxd": moveSigned,
	"lea": lea, "xchg": exchange, "bswap": byteSwap, "movbe": moveSwapped,
	"lahf": loadFlags, "sahf": storeFlags,
	"push": push, "pop": pop, "leave": leave,
	"cbw": widen, "cwde": widen, "cdqe": widen, "cwd": spread, "cdq": spread, "cqo": spread,
	"nop": nothing, "endbr64": nothing, "endbr32": nothing, "pause": nothing, "mfence": nothing, "lfence": nothing, "sfence": nothing,
	"prefetcht0": nothing, "prefetcht1": nothing, "prefetcht2": nothing, "prefetchnta": nothing, "prefetchw": nothing,

	"add": add, "adc": adc, "sub": sub, "sbb": sbb, "cmp": compare,
	"and": and, "or": or, "xor": xor, "test": test,
	"inc": inc, "dec": dec, "neg": neg, "not": not, "xadd": exchangeAdd, "cmpxchg": compareExchange,

	"shl": shl, "shr": shr, "sar": sar, "rol": rol, "ror": ror,
	"shld": shiftDoubleLeft, "shrd": shiftDoubleRight,
	"shlx": shlx, "shrx": shrx, "sarx": sarx, "rorx": rorx,

	"imul": imul, "mul": mul, "mulx": mulx, "div": div, "idiv": idiv,

	"bt": bitTest, "bts": bitSet, "btr": bitReset, "btc": bitComplement,
	"bsf": bitScan, "bsr": bitScan, "tzcnt": countZeros, "lzcnt": countZeros, "popcnt": popCount,
	"bzhi": zeroHigh, "bextr": extractBits, "pdep": deposit, "pext": gather,
	"adcx": addCarry, "adox": addOverflow, "crc32": checksum,
	"andn": andNot, "blsr": lowest, "blsi": lowest, "blsmsk": lowest,

	"jmp": jump, "call": call, "ret": ret, "jrcxz": jumpZero, "loop": loop,

	"movsb": moveString, "movsw": moveString, "movsd": moveString, "movsq": moveString,
	"stosb": storeString, "stosw": storeString, "stosd": storeString, "stosq": storeString,
	"lodsb": loadString, "lodsw": loadString, "lodsd": loadString, "lodsq": loadString,
	"cmpsb": compareStrings, "cmpsw": compareStrings, "cmpsd": compareStrings, "cmpsq": compareStrings,
	"scasb": scanString, "scasw": scanString, "scasd": scanString, "scasq": scanString,

	"clc": setCarry, "stc": setCarry, "cmc": setCarry, "cld": setDirection, "std": setDirection,
}

// extensions maps general instructions to features that not all processors have.
// On processors without them, some of the encodings mean other instructions.
var extensions = map[string]feature{
	"andn": bmi1, "bextr": bmi1, "blsi": bmi1, "blsmsk": bmi1, "blsr": bmi1, "tzcnt": bmi1,
	"lzcnt": lzcnt, "bzhi": bmi2, "mulx": bmi2, "pdep": bmi2, "pext": bmi2, "rorx": bmi2, "sarx": bmi2, "shlx": bmi2, "shrx": bmi2,
	"adcx": adx, "adox": adx, "crc32": sse42, "popcnt": popcnt, "movbe": movbe,
}

// conditional holds the instructions whose names end in a condition.
var conditional = []struct {
	prefix string
	run    handler
}{{"cmov", moveIf}, {"set", setIf}, {"j", jumpIf}}

// conditions lists the conditions in the order of their encoding.
var conditions = []string{"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"}

// lockable lists the instructions that may have a lock prefix; on others it
// raises an exception.
var lockable = strings.Fields("add adc and btc btr bts cmpxchg dec inc neg not or sbb sub xadd xchg xor")

// refused holds the properties of instructions that are left to the processor.
const refused = x86.FP | x86.Syscall | x86.Trap | x86.PushFlags | x86.PopFlags | x86.Privileged | x86.Barrier

// processors is the handler of instructions that the processor must execute.
func processors(*Machine, *instruction) bool { return false }

// prepare returns an instruction with its handler.
func prepare(in x86.Inst) *instruction {
	i := &instruction{in: in, run: processors, dst: in.Operand(0), src: in.Operand(1), src2: in.Operand(2)}
	i.size = i.dst.Size
	name := in.Name()
	if usesVectors(&in) {
		if i.vector = planVector(&in); i.vector != nil {
			i.run = stepVector
		} else if run := textOps[name]; run != nil && !in.Locked() {
			i.run = run
		}
		return i
	}
	if run := controlHandlers[name]; run != nil && !in.Locked() {
		i.run = run
		return i
	}
	memory := i.dst.Kind == x86.InMemory
	if in.Class&refused != 0 || in.Locked() && (!memory || !slices.Contains(lockable, name)) {
		return i
	}
	if i.dst.Kind == x86.Elsewhere || i.src.Kind == x86.Elsewhere || i.src2.Kind == x86.Elsewhere {
		return i
	}
	if run := handlers[name]; run != nil {
		if needs := extensions[name]; machineFeatures()&needs == needs {
			i.run = run
		}
		return i
	}
	i.conditional(name)
	return i
}

// usesVectors reports whether an operand is a vector or mask register.
func usesVectors(in *x86.Inst) bool {
	for n := range 4 {
		if k := in.Operand(n).Kind; k == x86.VectorReg || k == x86.MaskReg {
			return true
		}
	}
	return false
}

func (i *instruction) conditional(name string) {
	for _, c := range conditional {
		cc, ok := strings.CutPrefix(name, c.prefix)
		if n := slices.Index(conditions, cc); ok && n >= 0 {
			i.run, i.cc = c.run, uint8(n)
			return
		}
	}
}

// vectorOps returns the supported vector instructions by [x86.Inst.Stem]. All
// others are left to the processor. The table is made on first use: most
// processes never need it.
var vectorOps = sync.OnceValue(func() map[string]vectorOp {
	all := make(map[string]vectorOp)
	for _, table := range []func() map[string]vectorOp{
		moveOps, logicOps, integerOps, countOps, shiftOps, shuffleOps, maskOps,
		floatOps, fusedOps, convertOps, aesOps, shaOps, packOps,
	} {
		maps.Copy(all, table())
	}
	return all
})
