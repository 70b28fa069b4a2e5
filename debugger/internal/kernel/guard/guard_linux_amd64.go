package guard

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// A Guard is a process that takes the int3 instructions out if this program is
// killed while they are in. A nil guard guards nothing.
type Guard struct {
	cmd  *exec.Cmd
	pipe *os.File
	done chan struct{} // closed when the process has been waited for

	journal *Journal
}

// Journal is the guard's journal; nil without a guard.
func (g *Guard) Journal() *Journal {
	if g == nil {
		return nil
	}
	return g.journal
}

// Start starts the process. It gets the memory that it may have to
// repair as descriptor 3: to open that itself it might not be permitted. The
// journal is descriptor 4, and the claim, which it only holds, descriptor 5.
//
// A goroutine of its own starts it, because the tracer's thread takes every
// child that it has for a traced one.
func Start(command []string, memory *os.File, j *Journal, claim *os.File) (*Guard, error) {
	if len(command) == 0 {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		command = []string{self, Command}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ready, answer, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, r.Close(), w.Close())
	}
	defer func() { _ = ready.Close() }()
	g := &Guard{cmd: exec.Command(command[0], command[1:]...), pipe: w, done: make(chan struct{}), journal: j} //nolint:noctx // it must outlive us
	g.cmd.Stdin, g.cmd.Stdout, g.cmd.ExtraFiles = r, answer, []*os.File{memory, j.file}
	if claim != nil {
		g.cmd.ExtraFiles = append(g.cmd.ExtraFiles, claim)
	}
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	started := make(chan error)
	go g.run(started)
	err = <-started
	_, _ = r.Close(), answer.Close()
	if err == nil {
		if err = awaitReady(ready); err != nil {
			_ = g.cmd.Process.Kill() // it is something else
		}
	}
	if err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// timeout limits the time that the guard may take to start.
const timeout = 10 * time.Second

// awaitReady waits for the byte with which the guard says that it is there.
func awaitReady(ready *os.File) error {
	if err := ready.SetReadDeadline(time.Now().Add(timeout)); err != nil {
		return err
	}
	if _, err := ready.Read(make([]byte, 1)); err != nil {
		return fmt.Errorf("it does not answer: %w", err)
	}
	return nil
}

// run ends with the guard, which close ends.
func (g *Guard) run(started chan<- error) {
	defer close(g.done)
	err := g.cmd.Start()
	started <- err
	if err == nil {
		_ = g.cmd.Wait()
	}
}

// Remember is told before an int3 goes in.
func (g *Guard) Remember(address uint64, original byte) error {
	return g.send(record{address, original, stateIn})
}

// Forget is told after it went out.
func (g *Guard) Forget(address uint64) error {
	return g.send(record{Address: address})
}

func (g *Guard) send(r record) error {
	if g == nil {
		return nil
	}
	_, err := g.pipe.Write(r.bytes())
	return err
}

// Close ends the guard and waits for it.
func (g *Guard) Close() {
	if g != nil {
		_ = g.send(record{State: stateClosed}) // it may be dead
		_ = g.pipe.Close()
		<-g.done
		g.journal.Close()
	}
}

// Main is the guard's side: a program that sets breakpoints calls it when
// its first argument is GuardCommand, and ends with the status it returns.
func Main() int {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	if _, err := os.Stdout.Write([]byte{'\n'}); err != nil {
		return 1
	}
	memory := os.NewFile(3, "memory")
	j, err := mapJournal(os.NewFile(4, "journal"))
	if err != nil {
		return 1
	}
	a := watch(bufio.NewReader(os.Stdin))
	var errs error
	for address, original := range a.in {
		errs = errors.Join(errs, repair(memory, address, original))
	}
	at, owner := j.rescue()
	if at != 0 {
		_, err := memory.WriteAt(owner, int64(at+rescueRepaired))
		errs = errors.Join(errs, err)
	}
	errs = errors.Join(errs, finishJournal(j, memory))
	if !a.closed && (len(a.ever) > 0 || at != 0) {
		r := repairs{a.ever, at, owner, map[string]bool{}}
		for end := time.Now().Add(forkTime); time.Now().Before(end); time.Sleep(forkTime / 10) {
			r.children(memory)
		}
	}
	if errs != nil {
		return 1
	}
	return 0
}

// repair puts a byte back if an int3 is in its place. A process that has begun
// another program or ended has no such memory any more.
func repair(memory *os.File, address uint64, original byte) error {
	var b [1]byte
	if _, err := memory.ReadAt(b[:], int64(address)); err != nil || b[0] != Int3 {
		return nil //nolint:nilerr // nothing to repair
	}
	_, err := memory.WriteAt([]byte{original}, int64(address))
	return err
}
