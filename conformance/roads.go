package conformance

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// A road leads to a server: what is sent on it goes in, and what the server
// says, one message at a time, comes out.
type road interface {
	// send sends one line.
	send(line string) error
	// hear waits for one message; a server that is silent is an error.
	hear() (string, error)
	// end leaves. It is an error when the server has more to say or does not
	// end well.
	end() error
}

// maxLine is the longest message that is taken; real clients give up earlier.
const maxLine = 16 << 20

var errEnded = errors.New("the server ended")

// A pipe is the road over standard input and output to a child process.
// One goroutine reads, and ends with the child's output.
type pipe struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	lines    chan string // closed by the reader
	broken   error       // of reading, to be looked at after lines is closed
	patience time.Duration
}

// openPipe starts the program, which is killed when ctx is done. Its standard
// error goes to ours.
func openPipe(ctx context.Context, program, env []string, patience time.Duration) (*pipe, error) {
	p := &pipe{lines: make(chan string, 1000), patience: patience}
	p.cmd = exec.CommandContext(ctx, program[0], program[1:]...)
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go p.read(out)
	return p, nil
}

func (p *pipe) read(out io.Reader) {
	defer close(p.lines)
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, maxLine)
	for scanner.Scan() {
		p.lines <- scanner.Text()
	}
	p.broken = scanner.Err()
}

func (p *pipe) send(line string) error {
	_, err := io.WriteString(p.in, line+"\n")
	return err
}

func (p *pipe) hear() (string, error) {
	select {
	case line, ok := <-p.lines:
		if !ok {
			return "", cmp.Or(p.broken, errEnded)
		}
		return line, nil
	case <-time.After(p.patience):
		return "", fmt.Errorf("no answer within %v", p.patience)
	}
}

// end closes the input and waits; a child that stays is killed.
func (p *pipe) end() error {
	errs := []error{p.in.Close()}
	killer := time.AfterFunc(p.patience, func() { _ = p.cmd.Process.Kill() })
	for line := range p.lines {
		errs = append(errs, fmt.Errorf("it also said %s", line))
	}
	if err := p.cmd.Wait(); err != nil {
		errs = append(errs, fmt.Errorf("it ended with %w", err))
	}
	killer.Stop()
	return errors.Join(errs...)
}
