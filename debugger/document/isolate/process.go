package isolate

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// A process is one run of the command.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when it has ended

	write sync.Mutex // guards in; taken alone
	in    io.WriteCloser

	mu      sync.Mutex
	next    int64
	waiting map[int64]*waiter
	users   int  // requests under way
	retired bool // it gets no new ones
}

// A waiter is a request that waits. Neither channel is closed; the answer's has
// room for the one there is, and progress that finds no room is dropped.
type waiter struct {
	answer   chan reply
	progress chan progress
	begun    bool // the process has read the request; guarded by process.mu
}

// start runs the command and sends it its settings.
func start(command []string, set settings, all *sync.WaitGroup, log *slog.Logger) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...) //nolint:noctx // it outlives the request that starts it
	cmd.Stderr = complaints{log}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, in: in, ended: make(chan struct{}), waiting: map[int64]*waiter{}}
	all.Go(func() { p.read(out) })
	if err := p.send(set); err != nil {
		p.kill()
		return nil, err
	}
	return p, nil
}

// complaints logs what a process writes to standard error, such as why it crashed.
type complaints struct{ log *slog.Logger }

func (c complaints) Write(text []byte) (int, error) {
	c.log.Warn("a process for documents complains", "text", strings.TrimSpace(string(text)))
	return len(text), nil
}

// send writes one line.
func (p *process) send(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	p.write.Lock()
	defer p.write.Unlock()
	_, err = p.in.Write(append(line, '\n'))
	return err
}

// read hands out replies until there are no more, and waits for the end of the
// process. What comes after an error cannot be understood, so that ends it too.
func (p *process) read(out io.Reader) {
	decoder := json.NewDecoder(bufio.NewReader(out))
	for {
		var r reply
		if decoder.Decode(&r) != nil {
			break
		}
		p.deliver(r)
	}
	p.kill()
	_ = p.cmd.Wait() // how it ended does not matter
	close(p.ended)
}

// deliver passes a reply to the request that waits for it.
func (p *process) deliver(r reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.retired = p.retired || r.Abandoned > 0
	w, ok := p.waiting[r.ID]
	switch {
	case !ok: // its caller has left
	case r.Begun:
		w.begun = true
	case r.Progress == nil:
		delete(p.waiting, r.ID)
		w.answer <- r
	default:
		select {
		case w.progress <- *r.Progress:
		default:
		}
	}
}

// kill ends the process. A second call does nothing.
func (p *process) kill() {
	p.mu.Lock()
	p.retired = true
	p.mu.Unlock()
	_ = p.cmd.Process.Kill() // it may have ended by itself
}

// enter counts a request in, unless the process may not get more.
func (p *process) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.ended:
		return false
	default:
	}
	if p.retired {
		return false
	}
	p.users++
	return true
}

// join counts a request in if the process has not ended, even if it gets no others.
func (p *process) join() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.ended:
		return false
	default:
	}
	p.users++
	return true
}

// leaving reports whether the process gets no more requests and has not ended.
func (p *process) leaving() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.ended:
		return false
	default:
	}
	return p.retired
}

// retire lets the process end when its requests are answered. The caller must have
// entered it.
func (p *process) retire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.retired = true
}

// leave counts a request out. The last one out of a retired process ends it.
func (p *process) leave() {
	p.mu.Lock()
	p.users--
	over := p.retired && p.users == 0
	p.mu.Unlock()
	if over {
		p.kill()
	}
}

// ask sends a request and waits for the answer. It waits as long as patience says,
// and after each report of progress as long again.
func (p *process) ask(ctx context.Context, method string, arg json.RawMessage, patience time.Duration, told func(int, int, string)) (reply, error) {
	id, w := p.expect()
	defer p.forget(id)
	if err := p.send(request{ID: id, Method: method, Arg: arg}); err != nil {
		p.kill()
		return reply{}, p.died(w, method)
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	cancelled := ctx.Done()
	for {
		select {
		case r := <-w.answer:
			w.rest(told)
			return r, nil
		case now := <-w.progress:
			now.tell(told)
			if cancelled != nil || ctx.Done() == nil {
				timer.Reset(patience)
			}
		case <-cancelled: // the answer will say so, or is on its way already
			cancelled = nil
			timer.Reset(toCancel)
			_ = p.send(request{ID: id, Method: methodCancel}) // where that fails the process is at its end
		case <-timer.C:
			p.retire()
			if ctx.Err() != nil {
				return reply{}, context.Cause(ctx)
			}
			return reply{}, &document.LimitError{Subject: method, What: "time", Elapsed: patience}
		case <-p.ended:
			return p.last(w, method)
		}
	}
}

// toCancel limits the time of a process to answer a cancelled request.
const toCancel = 10 * time.Second

// rest tells the progress that came before the answer.
func (w *waiter) rest(told func(int, int, string)) {
	for {
		select {
		case now := <-w.progress:
			now.tell(told)
		default:
			return
		}
	}
}

func (p progress) tell(told func(int, int, string)) {
	if told != nil {
		told(p.Done, p.Total, p.Message)
	}
}

// last looks for an answer that came just before the end.
func (p *process) last(w *waiter, method string) (reply, error) {
	select {
	case r := <-w.answer:
		return r, nil
	default:
		return reply{}, p.died(w, method)
	}
}

// A notBegunError reports that a process ended before it read a request: the system may have
// ended it while it was idle. Another process can do the request.
type notBegunError struct{ error }

// Unwrap returns the error for the caller.
func (e notBegunError) Unwrap() error { return e.error }

// died returns the error of a request whose process has ended.
func (p *process) died(w *waiter, method string) error {
	err := &document.EngineError{Doing: method, Cause: "its process ended, maybe for want of memory"}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !w.begun {
		return notBegunError{err}
	}
	return err
}

// expect makes room for the replies to a new request.
func (p *process) expect() (int64, *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next++
	w := &waiter{answer: make(chan reply, 1), progress: make(chan progress, 256)}
	p.waiting[p.next] = w
	return p.next, w
}

func (p *process) forget(id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, id)
}
