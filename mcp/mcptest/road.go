package mcptest

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
)

// A Road leads to a server: what is sent on it goes in, and what the server
// says, one message at a time, comes out. It is for one goroutine.
type Road interface {
	// Send sends one line.
	Send(line string) error
	// Hear waits for one message; a server that is silent is an error.
	Hear() (string, error)
	// End leaves. It is an error when the server has more to say or does not
	// end well.
	End() error
}

// ErrEnded is what [Pipe.Hear] returns when the server will say nothing more.
var ErrEnded = errors.New("the server ended")

const (
	// maxLine is the longest message that is taken; real clients give up earlier.
	maxLine = 16 << 20
	// maxWaiting is how many messages wait to be heard before the server does.
	maxWaiting = 1000
	// patience is how long a server in this process may take for an answer.
	patience = 20 * time.Second
)

// A Pipe is the road on which messages are lines. One goroutine reads, and ends
// with what it reads from.
type Pipe struct {
	in       io.WriteCloser
	lines    chan string // closed by the reader
	broken   error       // of reading, to be looked at after lines is closed
	patience time.Duration
	kill     func()
}

// OpenPipe makes a road of the two ends that a server has for its messages: in
// is what it reads and out what it writes. When it is silent for longer than
// patience where it should speak or end, it has failed, and [Pipe.End] kills it.
func OpenPipe(in io.WriteCloser, out io.Reader, patience time.Duration, kill func()) *Pipe {
	p := &Pipe{in: in, lines: make(chan string, maxWaiting), patience: patience, kill: kill}
	go p.read(out)
	return p
}

func (p *Pipe) read(out io.Reader) {
	defer close(p.lines)
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, maxLine)
	for scanner.Scan() {
		p.lines <- scanner.Text()
	}
	p.broken = scanner.Err()
}

// Send implements [Road].
func (p *Pipe) Send(line string) error {
	_, err := io.WriteString(p.in, line+"\n")
	return err
}

// Hear implements [Road]. After the server's end it returns [ErrEnded], or why
// the rest cannot be read.
func (p *Pipe) Hear() (string, error) {
	select {
	case line, ok := <-p.lines:
		if !ok {
			return "", cmp.Or(p.broken, ErrEnded)
		}
		return line, nil
	case <-time.After(p.patience):
		return "", fmt.Errorf("no answer within %v", p.patience)
	}
}

// CloseInput tells the server that nothing more will be sent. What it still
// says can be heard.
func (p *Pipe) CloseInput() error { return p.in.Close() }

// End implements [Road]: it closes the input and reads to the end of the output.
func (p *Pipe) End() error {
	errs := []error{p.in.Close()}
	killer := time.AfterFunc(p.patience, p.kill)
	for line := range p.lines {
		errs = append(errs, fmt.Errorf("it also said %s", line))
	}
	if !killer.Stop() {
		errs = append(errs, fmt.Errorf("it did not end within %v", p.patience))
	}
	return errors.Join(errs...)
}

// Road serves the tables until the road or the test ends. It is for what
// [Client] is too polite to say; the config's Capabilities and Answer are not
// used.
func (cfg Config) Road(t T, tables ...*mcp.Table) *Pipe {
	t.Helper()
	server := newServer(t, cfg.Server, tables)
	in, sends := io.Pipe()
	says, out := io.Pipe()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() {
		serve(ctx, in, out, server, cfg.principal())
		_ = out.Close() // an io.Pipe's never fails
	})
	running.Go(func() { _ = server.Run(ctx) })                       // a watch that fails tells nothing
	p := OpenPipe(sends, says, patience, func() { _ = out.Close() }) // whatever it does then
	t.Cleanup(func() {
		_ = p.End() // whoever did not leave has failed already
		stop()
		running.Wait()
		if err := server.Close(); err != nil {
			t.Errorf("closing the server: %v", err)
		}
	})
	return p
}
