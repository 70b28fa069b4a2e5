package isolate

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// A Remote is a library in another process. The process starts with the first
// request.
type Remote struct {
	command  []string
	settings settings
	log      *slog.Logger

	mu      sync.Mutex
	current *process // nil before the first request
	starts  int
	lost    int // processes that ended by themselves, with their cache
	closed  bool
	all     sync.WaitGroup // of processes
}

// New makes a Remote whose process runs a command, and may have so many bytes of
// memory; it should be more than what config lets the library use. What the command writes
// to standard error is logged.
func New(command []string, config document.Config, memory int64, log *slog.Logger) *Remote {
	return &Remote{command: command, settings: settings{config, memory}, log: log.With("component", "document")}
}

// Close kills the process and waits for its end. Requests under way get an error.
func (r *Remote) Close() error {
	r.mu.Lock()
	r.closed = true
	if r.current != nil {
		r.current.kill()
	}
	r.mu.Unlock()
	r.all.Wait()
	return nil
}

// Starts returns the number of processes started so far.
func (r *Remote) Starts() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.starts
}

// process gives the process for a new request, and starts one where there is none
// or the last may not get more.
func (r *Remote) process() (*process, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, &document.EngineError{Doing: "document request", Cause: "closed"}
	}
	if r.current != nil && r.current.enter() {
		return r.current, nil
	}
	p, err := r.startLocked()
	if err != nil {
		return nil, err
	}
	p.enter()
	return p, nil
}

// release counts a request out of p. If p gets no more requests, its successor starts
// now, so that p can hand over its cache before it ends.
func (r *Remote) release(p *process) {
	r.mu.Lock()
	if !r.closed && p == r.current && p.leaving() {
		_, err := r.startLocked() // the next request tries again and gets the error
		if err != nil {
			r.log.Warn("no process for documents started", "err", err)
		}
	}
	r.mu.Unlock()
	p.leave()
}

// startLocked starts a process that gets the requests from now on. It loads what its
// predecessor has in its cache, if that still answers; otherwise that cache is lost.
func (r *Remote) startLocked() (*process, error) {
	p, err := start(r.command, r.settings, &r.all, r.log)
	if err != nil {
		return nil, &document.EngineError{Doing: "starting the document process", Cause: err.Error()}
	}
	r.starts++
	r.log.Debug("started a process for documents", "pid", p.cmd.Process.Pid)
	old := r.current
	r.current = p
	switch {
	case old == nil:
	case old.join():
		p.enter()
		r.all.Go(func() { r.inherit(old, p) })
	default:
		r.lost++
		r.log.Warn("the process for documents ended, and its cache is lost", "pid", old.cmd.Process.Pid)
	}
	return p, nil
}

// toInherit limits the time of a process to report the contents of its cache.
const toInherit = 10 * time.Second

// inherit has p load what the cache of old holds. The caller has entered both.
func (r *Remote) inherit(old, p *process) {
	defer p.leave()
	held, err := old.ask(context.Background(), methodContents, nil, toInherit, nil)
	old.leave()
	if err != nil {
		r.mu.Lock()
		r.lost++
		r.mu.Unlock()
		r.log.Warn("a process for documents could not hand over its cache", "err", err)
		return
	}
	if _, err := p.ask(context.Background(), methodRestore, held.Result, restoring*r.patience(), nil); err != nil {
		r.log.Warn("a cache of documents was not loaded again in whole", "err", err)
	}
}

// restoring is by how much longer than a request a process may load its cache.
const restoring = 2

// Query is [document.Library.Query].
func (r *Remote) Query(ctx context.Context, req document.QueryRequest) (document.QueryResult, error) {
	return call[document.QueryResult](ctx, r, methodQuery, req, r.patience(), nil)
}

// Validate is [document.Library.Validate].
func (r *Remote) Validate(ctx context.Context, req document.ValidateRequest) (document.Validation, error) {
	return call[document.Validation](ctx, r, methodValidate, req, r.patience(), nil)
}

// toCount limits the time of a process to report its statistics, which wait for no
// document.
const toCount = 30 * time.Second

// Stats is [document.Library.Stats] of the process that runs now. It fails if that
// does not answer.
func (r *Remote) Stats(ctx context.Context) (document.Stats, error) {
	stats, err := call[document.Stats](ctx, r, methodStats, nil, toCount, nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	stats.Restarts, stats.Lost = max(0, r.starts-1), r.lost
	return stats, err
}

// Preload is [document.Library.Preload]. It takes as long as documents are loaded, and
// fails if none is for the time that one may take.
func (r *Remote) Preload(ctx context.Context, req document.PreloadRequest, told func(done, total int, message string)) ([]document.PreloadReport, error) {
	packed, err := call[[]report](ctx, r, methodPreload, req, r.patience(), told)
	reports := make([]document.PreloadReport, len(packed))
	for i, one := range packed {
		reports[i] = one.PreloadReport
		reports[i].Err = unpack(one.Err)
	}
	return reports, err
}

// patience limits the time until the process answers or reports progress: its own limit
// by the clock, and time to notice it.
func (r *Remote) patience() time.Duration {
	return r.settings.Config.Patience() + toNotice
}

// toNotice is the time in which a process notices that a request took too long.
const toNotice = 15 * time.Second

// attempts bounds the processes that a request is sent to, of which all but the last have ended
// before they read it.
const attempts = 3

// ask sends a request to the process that runs now.
func (r *Remote) ask(ctx context.Context, method string, arg json.RawMessage, patience time.Duration, told func(int, int, string)) (answer reply, err error) {
	for range attempts {
		var p *process
		if p, err = r.process(); err != nil {
			return reply{}, err
		}
		answer, err = p.ask(ctx, method, arg, patience, told)
		r.release(p)
		unread, ok := errors.AsType[notBegunError](err)
		if !ok {
			return answer, err
		}
		err = unread.error
	}
	return reply{}, err
}

// call sends a request and waits for its answer.
func call[T any](ctx context.Context, r *Remote, method string, arg any, patience time.Duration, told func(int, int, string)) (T, error) {
	var result T
	if err := ctx.Err(); err != nil {
		return result, err
	}
	text, err := json.Marshal(arg)
	if err != nil {
		return result, err
	}
	answer, err := r.ask(ctx, method, text, patience, told)
	if err != nil {
		return result, err
	}
	if len(answer.Result) > 0 {
		if err := json.Unmarshal(answer.Result, &result); err != nil {
			return result, &document.EngineError{Doing: method, Cause: err.Error()}
		}
	}
	if err := unpack(answer.Error); err != nil && ctx.Err() != nil {
		return result, context.Cause(ctx)
	} else if err != nil {
		return result, err
	}
	return result, nil
}
