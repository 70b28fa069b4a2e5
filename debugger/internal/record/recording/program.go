package recording

import (
	"cmp"
	"io"
	"math/rand/v2"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/filecache"
)

// A Program is a program to record.
type Program struct {
	Path  string
	Args  []string // with its name
	Env   []string
	Files []uintptr // its first file descriptors

	// Seed determines which thread of the program and of each child runs when. 0 stands for random
	// ones.
	Seed uint64
	// Chaos makes schedules that are rare, other addresses of memory, and system calls that are short,
	// interrupted, or over early, where the program must be ready for it. The
	// same seed has the same effects as long as the program does the same. It costs time.
	Chaos bool
	// EndDeadlocks kills the program when all its threads wait for private futexes without a
	// timeout.
	EndDeadlocks bool

	// Place, unless 0, is the number of the recording among those that are made at the same time. It says
	// on which processor the program runs, so that they share all of them.
	Place int

	// Known, unless nil, has what earlier recordings have found out about files, and gets what this
	// one finds out, so that it takes less time.
	Known *filecache.Cache

	// Started, unless nil, is called with the process id before the first
	// instruction.
	Started func(pid int)

	// Child, unless nil, returns where the recording of a child of the program is
	// written, and of its children. It may be called concurrently. A child whose writer is
	// nil runs unrecorded. See NewWriter for writers that can be full.
	Child func(pid int) io.WriteCloser
}

// scheduler returns the scheduler of the program.
func (p *Program) scheduler() *scheduler {
	seed := cmp.Or(p.Seed, rand.Uint64())
	if p.Chaos {
		return newChaos(seed)
	}
	return newScheduler(seed)
}

// A Result describes a recorded run.
type Result struct {
	Status    int    // exit status, or -1 if a signal has killed the program
	Killed    int    // number of the signal
	Deadlock  bool   // it was killed because all threads wait for each other
	Running   bool   // the program has not ended: Record was canceled
	First     uint64 // position at which the recording begins: later than the program in a Ring
	Positions uint64 // at its end
	Events    int64
	Cut       string // why the recording ended before the program, or ""
	Err       error  // why the recording could not be written, in that case

	Children []ChildResult // of Program.Child, in the order of their ends

	parked, woken, turns int // threads, see futex_linux_amd64.go
	expired              int // calls that began again after their timeout, see timeouts_linux_amd64.go
}

// A ChildResult describes the recorded run of a child.
type ChildResult struct {
	PID int
	Result
}
