package debugcmd

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
)

// A person sits at a terminal: what they type, and what is shown.
type person struct {
	t        *testing.T
	terminal *os.File
	shown    []byte // that was not awaited yet
}

// sit returns a person, and the terminal that the shell has.
func sit(t *testing.T) (*person, *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skip("there is no terminal: ", err)
	}
	master := os.NewFile(uintptr(fd), "terminal") // with deadlines
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err = errors.Join(err, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)); err != nil {
		t.Fatal(errors.Join(err, master.Close()))
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(errors.Join(err, master.Close()))
	}
	return &person{t: t, terminal: master}, slave
}

// patience is the longest time that the shell may take to show a text.
const patience = time.Minute

// sees waits until a text is shown after those that were awaited before.
func (p *person) sees(text string) {
	p.t.Helper()
	if err := p.terminal.SetReadDeadline(time.Now().Add(patience)); err != nil {
		p.t.Fatal(err)
	}
	for b := make([]byte, 4096); ; {
		if _, after, found := bytes.Cut(p.shown, []byte(text)); found {
			p.shown = after
			return
		}
		n, err := p.terminal.Read(b)
		if err != nil {
			p.t.Fatalf("%v: there is no %q in %q", err, text, p.shown)
		}
		p.shown = append(p.shown, b[:n]...)
	}
}

func (p *person) types(text string) {
	p.t.Helper()
	if _, err := p.terminal.WriteString(text); err != nil {
		p.t.Fatal(err)
	}
}

// What is typed while the program runs is its input, also the end of it, and its output is shown as it
// comes. Between that, the same keys edit commands.
func TestShellAtATerminal(t *testing.T) {
	if scope, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope"); err == nil && strings.TrimSpace(string(scope)) > "1" {
		t.Skip("programs may not be traced")
	}
	p, terminal := sit(t)
	keys := newKeyboard(terminal)
	defer func() {
		err := p.terminal.Close() // which hangs the other end up
		for range keys.typed {
		}
		if err = errors.Join(err, terminal.Close()); err != nil {
			t.Error(err)
		}
	}()
	a := app.New()
	a.In, a.Out, a.Err = terminal, terminal, terminal
	a.Flags.Data = t.TempDir()
	signals := make(chan os.Signal)
	ended := make(chan error, 1)
	go func() {
		const script = `echo "name?"; while read name; do echo "hello $name"; done; echo bye; exit 3`
		s := &debugShell{IO: a.IO, app: a, signals: signals, keys: keys}
		ended <- s.converse(t.Context(), func() error { return s.start(t.Context(), "", []string{"sh", "-c", script}) })
	}()
	prompt := "(triptych) "
	p.sees(prompt)
	p.types("continue\r")
	p.sees("name?")
	p.types("Ada\n")
	p.sees("hello Ada")
	signals <- os.Interrupt
	p.sees("Paused at ")
	p.sees(prompt)
	p.types("nonsense\r")
	p.sees("unknown command")
	p.sees(prompt)
	p.types("continue wait_ms=0\r")
	p.sees("Process is running")
	p.sees(prompt)
	p.types("wait\r")
	p.sees("wait")
	p.types("Grace\n")
	p.sees("hello Grace")
	p.types("\x04")
	p.sees("bye")
	p.sees("Process exited with status 3")
	p.sees(prompt)
	p.types("quit\r")
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
