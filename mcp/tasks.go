package mcp

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// hasTasks reports whether the client said, in this request, that it knows
// tasks.
func (c *Call) hasTasks() bool {
	return c.rev.Has(Extensions) && c.Client().Tasks
}

// errTooManyTasks reports that a job cannot become a task now.
var errTooManyTasks = errors.New("too many tasks")

// runJob makes a task of a job for clients that know tasks, as long as there
// is room for one; otherwise the job is part of the call.
func (s *Server) runJob(ctx context.Context, c *Call, job func(context.Context, *Call) (*Result, error), dst []byte) ([]byte, error) {
	if c.hasTasks() {
		out, err := s.startTask(ctx, c, job, dst)
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

// startTask answers with a task and runs the job beside the call.
func (s *Server) startTask(ctx context.Context, c *Call, job func(context.Context, *Call) (*Result, error), dst []byte) ([]byte, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t := newTask(c.handler.caller.Principal.ID, cancel, s.tellTask)
	beside := c.beside(t)
	if !s.tasks.start(t, func() { beside.work(ctx, job) }) {
		cancel()
		return dst, errTooManyTasks
	}
	c.task = t
	view := t.look()
	return c.appendTask(dst, &view, false)
}

// beside is the call as its job sees it: it has nothing of the request's
// memory and cannot send on its connection.
func (c *Call) beside(t *task) *Call {
	caller := c.handler.caller
	caller.Send = nil
	job := &Call{
		handler: &Handler{server: c.handler.server, caller: caller},
		id:      c.id.Clone(), method: c.method, rev: c.rev, tool: c.tool, task: t,
	}
	job.params.meta.capabilities = bytes.Clone(c.params.meta.capabilities)
	return job
}

// work runs the job and keeps its result: a protocol error makes the task fail,
// an error of the tool is a result.
func (c *Call) work(ctx context.Context, job func(context.Context, *Call) (*Result, error)) {
	defer c.task.cancel()
	result, err := c.safely(ctx, job)
	if err != nil {
		result, err = c.failed(ctx, err)
	}
	var members []byte
	if err == nil {
		members, err = c.handler.server.appendSized(ctx, c, result, nil)
	}
	c.task.change(func(v *taskView) {
		if v.status, v.asks, v.result = taskCompleted, nil, members; err != nil {
			v.status, v.result, v.failure = taskFailed, nil, jsonrpc.AppendErrorObject(nil, jsonrpc.ErrorOf(err))
		}
	})
}

// safely runs the job; a panic is logged and makes it fail.
func (c *Call) safely(ctx context.Context, job func(context.Context, *Call) (*Result, error)) (result *Result, err error) {
	defer jsonrpc.Recover(c.Logger(), c.method.name, &err)
	return job(ctx, c)
}

// ofTask finds the task of a request.
func (s *Server) ofTask(c *Call) (*task, error) {
	if !c.hasTasks() {
		return nil, missingExtension(tasksExtension)
	}
	id, err := text("taskId", c.params.taskID)
	if err != nil {
		return nil, err
	}
	if t := s.tasks.find(id, c.handler.caller.Principal.ID); t != nil {
		return t, nil
	}
	return nil, InvalidParams("there is no task %q; a task is forgotten %v after it began", id, taskLife)
}

func serveTasksGet(_ context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	t, err := s.ofTask(c)
	if err != nil {
		return dst, err
	}
	view := t.look()
	return c.appendTask(dst, &view, true)
}

func serveTasksUpdate(_ context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	t, err := s.ofTask(c)
	if err != nil {
		return dst, err
	}
	responses, err := c.responses()
	if err != nil {
		return dst, err
	}
	t.answer(responses)
	return dst, nil
}

func serveTasksCancel(_ context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	t, err := s.ofTask(c)
	if err == nil {
		t.stop()
	}
	return dst, err
}

// tellTask tells those who listen for a task how it stands.
func (s *Server) tellTask(v *taskView) {
	for _, h := range s.listeners() {
		for _, l := range h.book.all() {
			if slices.Contains(l.want.Tasks, v.id) {
				l.tellTask(h, v)
			}
		}
	}
}

func (l *listen) tellTask(h *Handler, v *taskView) {
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
		h.server.cfg.Logger.Warn("task not told", "err", err)
		return
	}
	h.notify(context.Background(), "notifications/tasks", append(append(members, ','), l.params[1:]...))
}
