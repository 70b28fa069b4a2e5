package proc

import (
	"log/slog"
	"os"
	"time"
)

// Options configure a Process. The zero value is ready to use.
type Options struct {
	// Log reports what an operator should know; nil discards it.
	Log *slog.Logger

	// MaxStop, unless 0, limits how long the process may be stopped. After that
	// it continues without breakpoints until the next Resume or Pause.
	MaxStop time.Duration

	// Guard is the command that runs guard.Main; nil is this program with the
	// argument guard.Command.
	Guard []string

	// Software makes all breakpoints for instructions int3 instructions.
	Software bool
}

// A Spec describes a program to launch.
type Spec struct {
	Path string   // of the executable; PATH is not searched
	Args []string // without the name of the program
	Env  []string // nil is the environment of this program
	Dir  string   // "" is the working directory of this program

	// Files are the first descriptors of the program: standard input, output and
	// error, and more. Missing ones of the first three are /dev/null.
	Files []*os.File

	// Terminal makes standard input, which is a terminal, the controlling
	// terminal of a session of the program's own.
	Terminal bool
}
