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

// A Transport carries messages to a server and back, one message a line. It must not be used
// by several goroutines at a time. Implementations are [Pipe] and those of the program's own
// tests, over HTTPS for example.
type Transport interface {
	// Send sends one line.
	Send(line string) error
	// Receive waits for the next message, and returns it without a line feed. It fails when
	// none arrives in time.
	Receive() (string, error)
	// Close closes the connection. It fails if the server sent messages that
	// were not received, or did not exit cleanly.
	Close() error
}

// ErrEnded is returned by [Pipe.Receive] when the server has closed its output.
var ErrEnded = errors.New("the server ended")

const (
	// maxLine limits the size of a message in bytes; real clients use smaller limits.
	maxLine = 16 << 20
	// maxWaiting is the number of messages that are buffered before the server blocks.
	maxWaiting = 1000
	// patience is the time limit for an answer of a server in this process.
	patience = time.Minute
)

// A Pipe is a transport over two byte streams, one message a line. Its reader goroutine ends
// when the output stream does, which the owner of the stream must see to: [Pipe.Close] calls
// kill for that.
type Pipe struct {
	in       io.WriteCloser
	lines    chan string // closed by the reader goroutine
	broken   error       // the read error; valid after lines is closed
	patience time.Duration
	kill     func()
}

// OpenPipe returns a transport to a server that reads in and writes out. Receive
// fails after patience; [Pipe.Close] waits as long for the end of out and then
// calls kill.
func OpenPipe(in io.WriteCloser, out io.Reader, patience time.Duration, kill func()) *Pipe {
	p := &Pipe{in: in, lines: make(chan string, maxWaiting), patience: patience, kill: kill}
	go p.read(out)
	return p
}

// read passes on the lines of the output until it ends.
func (p *Pipe) read(out io.Reader) {
	defer close(p.lines)
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, maxLine)
	for scanner.Scan() {
		p.lines <- scanner.Text()
	}
	p.broken = scanner.Err()
}

// Send implements [Transport].
func (p *Pipe) Send(line string) error {
	_, err := io.WriteString(p.in, line+"\n")
	return err
}

// Receive implements [Transport]. After the end of the output it returns
// [ErrEnded], or the error that ended it.
func (p *Pipe) Receive() (string, error) {
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

// CloseInput closes the server's input, which tells a server over standard input to end.
// Messages can still be received.
func (p *Pipe) CloseInput() error { return p.in.Close() }

// Close implements [Transport]. It closes the input and reads the output to its end. A message
// that was not received is an error: a conversation states all that a server sends.
func (p *Pipe) Close() error {
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

// OpenTransport serves the tables until the transport is closed or the test ends.
// Use it to send messages that [Client] would not, such as invalid ones. The
// fields Capabilities and Answer of the config are ignored.
func (cfg Config) OpenTransport(t T, tables ...*mcp.Table) *Pipe {
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
	running.Go(func() { _ = server.Run(ctx) }) // a failed watch sends nothing
	p := OpenPipe(sends, says, patience, func() { _ = out.Close() })
	t.Cleanup(func() {
		_ = p.Close() // a test that did not close it has failed already
		stop()
		running.Wait()
		if err := server.Close(); err != nil {
			t.Errorf("closing the server: %v", err)
		}
	})
	return p
}
