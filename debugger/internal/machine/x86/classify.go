package x86

// attrClass maps facts of a row to facts of the instruction.
var attrClass = []struct {
	attr  attr
	class Class
}{
	{touchesFP, FP},
	{privileged, Privileged},
	{barrier, Barrier},
	{jump, Jump},
	{jumpCond, Jump | Cond},
	{call, Call},
	{ret, Return},
	{system, Syscall},
	{trap, Trap},
	{pushes, Store},
	{storesDI, Store},
	{pushesFlags, PushFlags},
	{popsFlag, PopFlags},
}

const (
	// rareAttrs are the attributes that classify tests one by one.
	rareAttrs = touchesFP | privileged | barrier | jump | jumpCond | call | ret | system | trap |
		pushes | storesDI | pushesFlags | popsFlag
	// statePlaces are registers of the extended state.
	statePlaces = 1<<placeV | 1<<placeW | 1<<placeP | 1<<placeQ | 1<<placeK | 1<<placeKM |
		1<<placeH | 1<<placeKH | 1<<placeT | 1<<placeBnd | 1<<placeBndM
	branchClasses = Jump | Call | Return
	// branchPlaces say where an indirect branch goes.
	branchPlaces = 1<<placeE | 1<<placeM
)

// classify sets Class.
func (d *decoder) classify(a attr) {
	in := &d.in
	if a&rareAttrs != 0 {
		in.Class |= rareClass(a)
	}
	first := in.ops[0].place()
	memory := in.Class&Memory != 0
	if a&readOnly == 0 && (memory && memoryForms>>first&1 != 0 || first == placeO || first == placeY) {
		in.Class |= Store
	} else if a&readOnly == 0 && statePlaces>>first&1 != 0 {
		in.Class |= FP
	}
	if usesMMX(&in.ops) {
		in.Class |= FP // the x87 stack is marked used
	}
	if in.Class&branchClasses != 0 && in.bits&(bitOpSize|bitW) == bitOpSize {
		in.Class |= Barrier // processors differ in what 66 does to a branch
	}
	if a&blockRep != 0 && in.bits&(bitF2|bitF3) != 0 {
		in.Class |= Repeat
	}
	if in.Class&Return != 0 || in.Class&(Jump|Call) != 0 && branchPlaces>>first&1 != 0 {
		in.Class |= Indirect
	}
}

func rareClass(a attr) Class {
	c := Class(0)
	for _, x := range attrClass {
		if a&x.attr != 0 {
			c |= x.class
		}
	}
	return c
}

func usesMMX(ops *operands) bool {
	for _, o := range ops {
		if p := o.place(); p == placeP || p == placeQ {
			return true
		}
	}
	return false
}
