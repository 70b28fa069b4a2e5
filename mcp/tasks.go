package mcp

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// hasTasks reports whether the client said, in this request, that it knows
// tasks.
func (c *Call) hasTasks() bool {
	return c.rev.Has(host.Extensions) && c.Client().Tasks
}

// errTooManyTasks is returned by startTask when the principal, the server or its store
// may not have another task. The job then runs within the call, if the tool allows
// that.
var errTooManyTasks = errors.New("too many tasks")

// runSlow runs a tool as a job that becomes a task if it takes longer than taskGrace.
// Most calls of such tools are quick, and their clients get the result at once.
func (s *Server) runSlow(ctx context.Context, c *Call, dst []byte) ([]byte, error) {
	return s.runJob(ctx, c, func(ctx context.Context, c *Call) (*Result, error) {
		result, err := c.tool.Call.invoke(ctx, c, c.params.Arguments)
		if err == nil && result.Job != nil {
			return result.Job(ctx, c)
		}
		return &result, err
	}, taskGrace, dst)
}

// runJob makes a task of a job that has not ended within grace, for clients that
// know tasks and as long as there is room for one; otherwise the job is part of
// the call.
func (s *Server) runJob(ctx context.Context, c *Call, job job, grace time.Duration, dst []byte) ([]byte, error) {
	if c.hasTasks() {
		out, err := s.startTask(ctx, c, job, grace, dst)
		if !errors.Is(err, errTooManyTasks) {
			return out, err
		}
		if c.tool.Task == TaskRequired {
			return dst, jsonrpc.Errorf(jsonrpc.CodeInternalError, "Internal error").
				WithDetails("there are too many tasks; wait for one to end")
		}
	}
	result, err := job(ctx, c)
	return s.finishCall(ctx, c, result, err, dst)
}

// startTask runs the job beside the call and answers with a task, or with the
// job's outcome if that comes within grace.
//
// The job's context does not end with the request's: the client that got the task may
// disconnect and ask for the result later. It ends when the task is cancelled, when its
// time is over, and with the server. With grace 0 the task is stored before the job
// begins; otherwise only when the grace is over, so that quick calls cost the store
// nothing.
func (s *Server) startTask(ctx context.Context, c *Call, job job, grace time.Duration, dst []byte) ([]byte, error) {
	inside, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t := newTask(c.handler.caller.Principal.ID, cancel, nil)
	t.publish = func(v *taskView) { s.stored.publishTask(t, v) }
	beside := c.beside(t)
	if t.announced = grace == 0; t.announced && !s.stored.storeTask(t) {
		cancel()
		return dst, errTooManyTasks
	}
	if !s.tasks.start(t, taskBytes+len(beside.params.Arguments), func() { beside.work(inside, job) }) {
		cancel()
		s.stored.unstoreTask(t)
		return dst, errTooManyTasks
	}
	if grace > 0 && t.endsWithin(ctx, grace, func() bool { return s.stored.storeTask(t) }) {
		s.tasks.forget(t)
		s.stored.unstoreTask(t)
		c.extra, c.failure, c.details = beside.extra, beside.failure, beside.details
		return append(dst, t.members...), t.err
	}
	c.became = t
	view := t.snapshot()
	return c.appendTask(dst, &view, false)
}

// beside returns a copy of the call for its job, which may outlive the request: it
// shares no memory with the message and cannot send on its connection.
func (c *Call) beside(t *task) *Call {
	t.client = c.Client()
	caller := c.handler.caller
	caller.Send = nil
	job := &Call{
		handler: &Handler{server: c.handler.server, caller: caller},
		id:      c.id.Clone(), method: c.method, rev: c.rev, tool: c.tool, task: t,
	}
	job.params.Arguments = bytes.Clone(c.params.Arguments)
	return job
}

// work runs the job on its own goroutine and stores its outcome in the task. If a call
// still waits for it, finish reports false and the call answers with the outcome; after
// that the outcome belongs to tasks/get and is recorded by itself.
func (c *Call) work(ctx context.Context, job job) {
	t, began := c.task, time.Now()
	defer close(t.done)
	defer t.cancel()
	result, err := c.safely(ctx, job)
	t.members, t.err = c.handler.server.finishCall(ctx, c, result, err, nil)
	if t.finish() {
		t.err = c.observeEnd(ctx, began, t.err)
		c.conclude()
	}
}

// taskBytes is the charge for a task besides its arguments, answers
// and result.
const taskBytes = 16 * entryBytes

// errNoRoomForResult replaces a result that the budget has no room for.
var errNoRoomForResult = jsonrpc.Errorf(jsonrpc.CodeInternalError, "Internal error").
	WithDetails("the server has no room to keep the result: get the results of other tasks, or ask for less")

// conclude ends the task: a protocol error makes it fail, an error of the tool
// is a result.
func (c *Call) conclude() {
	t := c.task
	if errors.Is(t.err, context.Canceled) && c.handler.server.tasks.isClosing() {
		t.err = errTaskLost
	}
	size := taskBytes + len(t.members)
	if !c.handler.server.tasks.resize(t, func(int) int { return size }) {
		t.members, t.err = nil, errNoRoomForResult
	}
	t.change(func(v *taskView) {
		if v.status, v.asks, v.result, v.extra = taskCompleted, nil, t.members, c.extra; t.err != nil {
			v.status, v.result, v.failure = taskFailed, nil, jsonrpc.AppendErrorObject(nil, jsonrpc.ErrorOf(t.err))
		}
	})
}

// safely runs the job; a panic is logged and makes it fail.
func (c *Call) safely(ctx context.Context, job job) (result *Result, err error) {
	defer jsonrpc.Recover(c.Logger(), c.method.name, &err)
	return job(ctx, c)
}

// ofTask finds the task of a request: one of this server, or only its id, which another
// server may have.
func (s *Server) ofTask(c *Call) (*task, string, error) {
	if !c.hasTasks() {
		return nil, "", missingExtension(tasksExtension)
	}
	id, err := params.NameMember("taskId", c.params.Other("taskId"))
	if err != nil {
		return nil, "", err
	}
	t := s.tasks.find(id, c.handler.caller.Principal.ID)
	if t == nil && s.stored.store == nil {
		return nil, "", noTask(id)
	}
	return t, id, nil
}

// noTask returns the error for an unknown id. It is the same for the id of another
// principal's task: ids do not tell that there is one.
func noTask(id string) error {
	return InvalidParams("there is no task %q; a task is forgotten %v after it began", id, taskLife)
}

// storeError is the error for the client when a task of another server could not be read
// or changed.
func storeError(id string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, host.ErrNoTask):
		return noTask(id)
	case errors.Is(err, host.ErrNoRoom):
		return InvalidParams("the server has no room to keep the answers")
	}
	return &UnavailableError{Message: "the store of tasks cannot be reached now"}
}

// serveTasksGet answers tasks/get with the task's state, and its result or error once
// it has ended.
func serveTasksGet(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	t, id, err := s.ofTask(c)
	if err != nil {
		return dst, err
	}
	if t == nil {
		_, state, err := s.stored.loadTask(ctx, c.handler.caller.Principal.ID, id)
		if err != nil {
			return dst, storeError(id, err)
		}
		return c.appendTask(dst, state.view(id), true)
	}
	view := t.snapshot()
	return c.appendTask(dst, &view, true)
}

// serveTasksUpdate answers tasks/update, with which a client answers what a task has
// asked for. Answers to nothing that was asked are dropped; the others are charged
// until the task has taken them.
func serveTasksUpdate(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	t, id, err := s.ofTask(c)
	if err != nil {
		return dst, err
	}
	responses, err := c.responses()
	if err != nil {
		return dst, err
	}
	if t == nil {
		return dst, storeError(id, s.stored.answerStored(ctx, c.handler.caller.Principal.ID, id, responses))
	}
	responses, size := t.asked(responses), 0
	for _, response := range responses {
		size += len(response)
	}
	if !s.tasks.resize(t, func(now int) int { return now + size }) {
		return dst, InvalidParams("the server has no room to keep the answers")
	}
	t.answer(responses)
	return dst, nil
}

// serveTasksCancel answers tasks/cancel. A task that has ended stays as it is.
func serveTasksCancel(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	t, id, err := s.ofTask(c)
	switch {
	case err != nil:
		return dst, err
	case t == nil:
		return dst, storeError(id, s.stored.cancelStored(ctx, c.handler.caller.Principal.ID, id))
	}
	t.stop()
	return dst, nil
}

// wantsTask reports whether the request named the task.
func (l *listen) wantsTask(id string) bool {
	_, found := slices.BinarySearch(l.want.Tasks, id)
	return found
}

// notifyTask sends the state of a task to the stream, unless it was closed.
func (l *listen) notifyTask(h *Handler, v *taskView) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed.Load() {
		l.sendTask(h, v)
	}
}

// sendTask sends a task; the caller holds mu.
func (l *listen) sendTask(h *Handler, v *taskView) {
	c := Call{handler: h, rev: l.rev}
	members, err := c.appendTask([]byte{'{'}, v, true)
	if err != nil {
		h.server.cfg.Logger.Warn("task not sent", "err", err)
		return
	}
	h.notify(context.Background(), "notifications/tasks", append(append(members, ','), l.params[1:]...))
}
