package proc

// Access is the kind of access that a breakpoint stops at.
type Access uint8

// The kinds of access. The debug registers cannot watch reads alone.
const (
	Execute   Access = iota // the instruction at the address
	Write                   // a write to the memory
	ReadWrite               // a read of or write to the memory
)

// A Hit is the argument of a condition: a thread at a breakpoint.
type Hit struct {
	Thread     int
	Breakpoint int
	Address    uint64 // of the thread's next instruction
}

// A BreakpointSpec describes where and when to stop.
type BreakpointSpec struct {
	Address uint64
	Access  Access
	Size    int // of watched memory: 1, 2, 4 or 8; Address must be a multiple of it

	Thread int  // the only thread that it applies to; 0 means all
	Once   bool // it is removed by its first stop
	Ignore int  // number of hits that do not stop

	// Condition, unless nil, reports whether a hit counts. It is called on the
	// tracer's thread while other threads may be running, and may call Regs,
	// ReadMemory and other reading methods. An error stops the process and is
	// returned in Stop.Err.
	Condition func(Hit) (bool, error)

	// Counted makes each execution one hit, also of those that do not stop. All threads
	// stop for a moment to pass it. Without it a signal that arrives at a hit that does not
	// stop may cause a second one.
	Counted bool
}

// A Breakpoint is a breakpoint that was set.
type Breakpoint struct {
	ID   int // from 1, never reused
	Spec BreakpointSpec
	Hits int // number of hits for which the condition held

	// Hardware reports whether it uses a debug register, so that the code is
	// unchanged.
	Hardware bool
}

// check validates a specification without looking at the process.
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
