//go:build linux

package load

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A Server is a program that is started to be measured. Every {port} in its
// words and in its URL becomes one free port of loopback.
type Server struct {
	Name string
	Argv []string
	Env  []string // added to ours
	// URL is its address; "" means standard input and output. Certificates are
	// not checked.
	URL      string
	Bearer   string
	Revision string // of the handshake; "" is none
}

// A Conn is the way to a server that runs.
type Conn interface {
	// Run keeps so many requests in flight for a time and waits for the last
	// answers: on one pipe, or one on each connection of HTTPS.
	Run(mix *Mix, parallel int, d time.Duration) (*Sample, error)
	// PID is the server's process.
	PID() int
	// Close ends the server, kindly at first.
	Close() error

	ask(m *Message) (answer []byte, err error)
}

// A Mix is the cycle of messages that a run sends.
type Mix struct{ messages []Message }

// Prepare asks each message once and checks its answer. What is asked by Run
// must be prepared on the same conn, and must be answered in the same length
// every time.
func Prepare(r Conn, messages ...Message) (*Mix, error) {
	messages = slices.Clone(messages) // the lengths are this conn's
	for i := range messages {
		m := &messages[i]
		answer, err := r.ask(m)
		if err == nil {
			err = m.check(answer)
		}
		if err != nil {
			return nil, err
		}
		m.length = len(answer)
	}
	return &Mix{messages}, nil
}

// Once asks one message, checks its answer, which need not be of the same length
// every time, and says how long it took.
func Once(r Conn, m Message) (answer []byte, took time.Duration, err error) {
	began := time.Now()
	if answer, err = r.ask(&m); err == nil {
		took = time.Since(began)
		err = m.check(answer)
	}
	return answer, took, err
}

// Open starts a server and shakes hands with it. It is killed when ctx is done.
func Open(ctx context.Context, s Server) (Conn, error) {
	s, err := s.withPort(ctx)
	if err != nil {
		return nil, err
	}
	open := openPipe
	if s.URL != "" {
		open = openWeb
	}
	conn, err := open(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return conn, nil
}

// withPort finds a port that is free, and so should be a interval later.
func (s Server) withPort(ctx context.Context) (Server, error) {
	if !strings.Contains(s.URL, "{port}") {
		return s, nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return s, err
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	s.Argv = append([]string(nil), s.Argv...)
	for i, word := range s.Argv {
		s.Argv[i] = strings.ReplaceAll(word, "{port}", port)
	}
	s.URL = strings.ReplaceAll(s.URL, "{port}", port)
	return s, l.Close()
}

// A child is a server's process and the end of what it says to people.
type child struct {
	*exec.Cmd

	said tail
	done chan struct{} // closed when it has ended
	err  error         // then
}

// start starts a server; its input and output are set by the caller.
func start(ctx context.Context, s Server, set func(*exec.Cmd)) (*child, error) {
	c := &child{Cmd: exec.CommandContext(ctx, s.Argv[0], s.Argv[1:]...), done: make(chan struct{})}
	c.Env = append(os.Environ(), s.Env...)
	c.Stderr = &c.said
	set(c.Cmd)
	if err := c.Start(); err != nil {
		return nil, err
	}
	go func() { // ends with the process
		c.err = c.Wait()
		close(c.done)
	}()
	return c, nil
}

func (c *child) PID() int { return c.Process.Pid }

// end waits for a process to exit, and kills it after a time limit.
func (c *child) end() error {
	select {
	case <-c.done:
		return nil
	case <-time.After(15 * time.Second):
		_ = c.Process.Kill() // it may have ended meanwhile
		<-c.done
		return fmt.Errorf("it did not end by itself: %s", &c.said)
	}
}

// Goroutines ends a server of the Go runtime with the signal that makes it tell
// its goroutines, and counts them. Close must still be called.
func Goroutines(r Conn) (int, error) {
	c := childOf(r)
	if err := c.Process.Signal(syscall.SIGQUIT); err != nil {
		return 0, err
	}
	<-c.done
	n := strings.Count(c.said.String(), "\ngoroutine ")
	if n == 0 {
		return 0, fmt.Errorf("no goroutine count in %.500s", &c.said)
	}
	return n, nil
}

func childOf(r Conn) *child {
	if p, ok := r.(*pipe); ok {
		return p.child
	}
	return r.(*web).child
}

// A tail keeps the last of what is written.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 1 << 20

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - tailSize; over > 0 {
		t.text = t.text[over:]
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.text))
}
