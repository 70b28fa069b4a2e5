package proc

import (
	"log/slog"
	"os"
	"time"
)

// Options say how a process is treated. The zero value is good.
type Options struct {
	// Log gets what an operator should know; nil discards it.
	Log *slog.Logger

	// MaxStop, unless 0, limits the time that the process may be stopped. After
	// that it runs on without its breakpoints until the next Resume or Pause.
	MaxStop time.Duration

	// Guard is the command that runs guard.Main; nil is this program with the
	// argument guard.Command.
	Guard []string

	// Software keeps from using the processor's breakpoints for instructions.
	Software bool
}

// A Spec says what to launch.
type Spec struct {
	Path string   // of the executable, as for exec: no search
	Args []string // without the name of the program
	Env  []string // nil is this program's own
	Dir  string   // "" is this program's own

	// Files the program gets as its first descriptors: standard input, output
	// and error, and more. Missing ones of the first three are /dev/null.
	Files []*os.File
}
