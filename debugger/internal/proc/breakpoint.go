package proc

// Access says what a breakpoint stops at.
type Access uint8

// The kinds of access. The processor cannot watch reading alone.
const (
	Execute   Access = iota // the instruction at the address
	Write                   // writing
	ReadWrite               // reading or writing
)

// A Hit is a thread at a breakpoint, for a condition to look at.
type Hit struct {
	Thread     int
	Breakpoint int
	Address    uint64 // of the thread's next instruction
}

// A BreakpointSpec says where and when to stop.
type BreakpointSpec struct {
	Address uint64
	Access  Access
	Size    int // of watched memory: 1, 2, 4 or 8, and Address a multiple of it

	Thread int  // the only thread that it is for; 0 is all
	Once   bool // it goes with its first stop
	Ignore int  // this many hits do not stop

	// Condition, unless nil, says whether a hit counts. It is called on the
	// tracing thread, other threads may be running, and it may call Regs,
	// ReadMemory and the like. An error stops the process and is told.
	Condition func(Hit) (bool, error)
}

// A Breakpoint is one that was set.
type Breakpoint struct {
	ID   int // from 1, never used again
	Spec BreakpointSpec
	Hits int // those for which the condition held

	// Hardware says that the processor does it and the code is unchanged.
	Hardware bool
}

// check says what is wrong with a specification by itself.
func (s BreakpointSpec) check() error {
	fail := func(cause string) error { return &BreakpointError{s.Address, cause} }
	switch {
	case s.Access > ReadWrite:
		return fail("no such kind of access")
	case s.Ignore < 0:
		return fail("the number of hits to ignore is negative")
	case s.Access == Execute && s.Size != 0:
		return fail("an instruction has no size to watch")
	case s.Access == Execute:
		return nil
	case s.Size != 1 && s.Size != 2 && s.Size != 4 && s.Size != 8:
		return fail("1, 2, 4 or 8 bytes can be watched")
	case s.Address%uint64(s.Size) != 0:
		return fail("the address must be a multiple of the size")
	}
	return nil
}
