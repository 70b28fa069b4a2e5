package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// A TaskMode is the permission of calls of a tool to become tasks (extension
// io.modelcontextprotocol/tasks, 2026-07-28): the client gets an id at once and asks for
// the result later.
type TaskMode uint8

// The modes. An optional task runs in its call for clients that have none; a
// required one is refused to them; both are tools that return a [Result.Job].
// TaskWhenSlow is for any handler: a call that has not ended after a moment goes
// on as a task.
const (
	TaskNever TaskMode = iota
	TaskOptional
	TaskRequired
	TaskWhenSlow
)

// tasksExtension is the name of the extension.
const tasksExtension = params.MetaPrefix + "tasks"

// The bounds of tasks.
const (
	taskLife     = time.Hour       // how long a task can be asked for, from its beginning
	taskPoll     = 2 * time.Second // how often clients should ask
	maxTasks     = 10_000          // of all callers
	maxTasksEach = 200             // of one principal
	taskGrace    = time.Second     // what a call is worth waiting for, before it is a task
)

// A taskStatus is the status of a task; the last three are final.
type taskStatus string

const (
	taskWorking   taskStatus = "working"
	taskInput     taskStatus = "input_required"
	taskCompleted taskStatus = "completed"
	taskFailed    taskStatus = "failed"
	taskCancelled taskStatus = "cancelled"
)

// final reports whether a task in this status never changes again.
func (s taskStatus) final() bool { return s != taskWorking && s != taskInput }

// A task is a job that runs beside the call that began it. It has two locks, order and
// mu, taken in that order; the job's goroutine and those of requests about the task use
// it.
type task struct {
	id        string
	principal string
	client    host.ClientCapabilities // as the call's request says
	cancel    context.CancelFunc
	publish   func(*taskView) // is called with each change
	timer     *time.Timer     // forgets it; set when it is made known
	bytes     int             // taken from the budget; guarded by the mu of tasks

	// The job's outcome, to be read when done is closed.
	done    chan struct{}
	members []byte // of the tool's result
	err     error

	// order keeps notifications in the order of the changes. It is taken before
	// mu and held while they are sent.
	order sync.Mutex
	// The stored record, nil without a store, and its last change; guarded by order.
	record      *host.TaskRecord
	saved       time.Time
	savedStatus taskStatus
	unsaved     bool // the last change was not stored, which is being tried again

	mu        sync.Mutex
	announced bool // whether the client knows it
	finished  bool // whether the job has ended
	view      taskView
	answers   map[string]json.RawMessage // to what was asked
	answered  chan struct{}              // closed when all is answered
}

// A taskView is the part of a task that clients see. A copy of it is not changed any
// more: maps in it are replaced, never written to.
type taskView struct {
	id               string
	status           taskStatus
	message          string
	created, updated time.Time
	ttl, poll        time.Duration
	asks             map[string]InputRequest // not answered yet
	round            int64                   // how often the task has asked
	result           []byte                  // members of the tool's result
	extra            []byte                  // members of its _meta
	failure          []byte                  // the error object
}

// newTask returns a task that works. cancel ends its call, and publish is told of each
// change of what clients see.
func newTask(principal string, cancel context.CancelFunc, publish func(*taskView)) *task {
	now := time.Now()
	id := rand.Text()
	return &task{id: id, principal: principal, cancel: cancel, publish: publish, done: make(chan struct{}), view: taskView{
		id: id, status: taskWorking, created: now, updated: now, ttl: taskLife, poll: taskPoll,
	}}
}

// change changes a task that is not at its end, and publishes the change.
func (t *task) change(f func(*taskView)) {
	t.order.Lock()
	defer t.order.Unlock()
	t.changeLocked(f)
}

// changeLocked is change while order is held.
func (t *task) changeLocked(f func(*taskView)) {
	t.mu.Lock()
	if t.view.status.final() {
		t.mu.Unlock()
		return
	}
	f(&t.view)
	t.view.updated = time.Now()
	view := t.view
	t.mu.Unlock()
	t.publish(&view)
}

// announce makes it a task that the client knows, unless its job has ended before, and
// reports whether the client knows it now. Of announce and finish the first one decides
// how the client gets the outcome.
func (t *task) announce() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.announced = t.announced || !t.finished
	return t.announced
}

// finish records that the job has ended, and reports whether the client knows the task;
// if not, the outcome is the answer of the call.
func (t *task) finish() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.finished = true
	return t.announced
}

// endsWithin waits for the end of the job, at most for so long: then it becomes a task,
// if store can store it. It reports whether the job has ended. The end of ctx, that of
// the request, cancels the job and waits for it.
func (t *task) endsWithin(ctx context.Context, grace time.Duration, store func() bool) bool {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-timer.C:
		if store() && t.announce() {
			return false
		}
		select {
		case <-ctx.Done():
			t.cancel()
		case <-t.done:
		}
	case <-ctx.Done():
		t.cancel()
	case <-t.done:
	}
	<-t.done
	return true
}

// snapshot returns the state of the task, which later changes do not touch.
func (t *task) snapshot() taskView {
	t.mu.Lock()
	defer t.mu.Unlock()
	view := t.view
	view.asks = maps.Clone(t.view.asks)
	return view
}

// setMessage sets the status message that clients show; an empty one leaves the last.
func (t *task) setMessage(message string) {
	if message != "" {
		t.change(func(v *taskView) { v.message = message })
	}
}

// stop ends the task by the client's wish (tasks/cancel); one that has ended keeps its
// status. The job may still run for a while; its result is dropped.
func (t *task) stop() {
	t.change(func(v *taskView) { v.status, v.asks = taskCancelled, nil })
	t.cancel()
}

// ask puts questions to the client, which answers them one by one or together, and waits
// for all answers or the end of ctx. The client sees the questions in the task; the job
// can ask again.
func (t *task) ask(ctx context.Context, asks map[string]InputRequest) (map[string]json.RawMessage, error) {
	heard := make(chan struct{})
	t.change(func(v *taskView) {
		v.status, v.asks = taskInput, maps.Clone(asks)
		v.round++
		t.answers, t.answered = map[string]json.RawMessage{}, heard
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-heard:
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.answers, nil
}

// asked returns those of the responses that answer open questions. It changes the map
// that it is given.
func (t *task) asked(responses map[string]json.RawMessage) map[string]json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(responses, func(key string, _ json.RawMessage) bool {
		_, open := t.view.asks[key]
		return !open
	})
	return responses
}

// answer takes answers; those to nothing that was asked are ignored.
func (t *task) answer(responses map[string]json.RawMessage) {
	t.order.Lock()
	defer t.order.Unlock()
	t.answerLocked(responses)
}

// answerLocked is answer while order is held.
func (t *task) answerLocked(responses map[string]json.RawMessage) {
	t.changeLocked(func(v *taskView) {
		open := maps.Clone(v.asks) // others may be looking at the one there is
		for key, response := range responses {
			if _, asked := open[key]; asked {
				t.answers[key] = append(json.RawMessage(nil), response...)
				delete(open, key)
			}
		}
		v.asks = open
		if v.status == taskInput && len(open) == 0 {
			v.status = taskWorking
			close(t.answered)
		}
	})
}

// tasks holds the tasks that clients can ask for, until taskLife after their beginning. A
// server's Close ends all of them.
type tasks struct {
	budget *budget

	mu      sync.Mutex
	by      map[string]*task
	of      map[string]int // tasks of a principal
	closed  bool
	closing chan struct{} // closed with it
	refused int64         // tasks that were too many
	running sync.WaitGroup
}

// init makes the table, whose tasks are charged to a budget.
func (all *tasks) init(b *budget) {
	all.budget, all.by, all.of, all.closing = b, map[string]*task{}, map[string]int{}, make(chan struct{})
}

// start makes a task of so many bytes known and runs it. When there are too many
// it forgets finished ones of the principal, and reports false if that does not
// help.
func (all *tasks) start(t *task, bytes int, run func()) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.of[t.principal] >= maxTasksEach {
		all.makeRoomLocked(t.principal)
	}
	if all.closed || len(all.by) >= maxTasks || all.of[t.principal] >= maxTasksEach || !all.chargeLocked(t, bytes) {
		all.refused++
		return false
	}
	all.by[t.id] = t
	all.of[t.principal]++
	t.timer = time.AfterFunc(taskLife, func() { all.forget(t) })
	all.running.Go(run)
	return true
}

// resize charges the budget for what a task holds from now on, and forgets
// finished tasks of the principal when that is too much. It reports false, and
// leaves the charge as it was, if that does not help. A task that is forgotten
// already costs nothing.
func (all *tasks) resize(t *task, bytes func(now int) int) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.by[t.id] != t || all.chargeLocked(t, bytes(t.bytes))
}

// chargeLocked charges a task's principal with bytes in place of what the task was
// charged with. It removes finished tasks, oldest first, while there is no room, and
// reports whether there is some now. mu is held.
func (all *tasks) chargeLocked(t *task, bytes int) bool {
	for all.budget.take(t.principal, bytes-t.bytes) != nil {
		if !all.makeRoomLocked(t.principal) {
			return false
		}
	}
	t.bytes = bytes
	return true
}

// makeRoomLocked forgets the oldest task of the principal that is over, if there
// is one.
func (all *tasks) makeRoomLocked(principal string) bool {
	var oldest *task
	var since time.Time
	for _, t := range all.by {
		if t.principal != principal {
			continue
		}
		if v := t.snapshot(); v.status.final() && (oldest == nil || v.created.Before(since)) {
			oldest, since = t, v.created
		}
	}
	if oldest != nil {
		all.forgetLocked(oldest)
	}
	return oldest != nil
}

// forget cancels a task and removes it.
func (all *tasks) forget(t *task) {
	t.cancel()
	all.mu.Lock()
	defer all.mu.Unlock()
	all.forgetLocked(t)
}

// forgetLocked removes a task, once, and gives its bytes back. mu is held.
func (all *tasks) forgetLocked(t *task) {
	if all.by[t.id] != t {
		return
	}
	t.timer.Stop()
	delete(all.by, t.id)
	all.budget.give(t.principal, t.bytes)
	if all.of[t.principal]--; all.of[t.principal] == 0 {
		delete(all.of, t.principal)
	}
}

// find returns the task if it is the principal's, else nil: ids of others are unknown
// ones.
func (all *tasks) find(id, principal string) *task {
	all.mu.Lock()
	defer all.mu.Unlock()
	if t := all.by[id]; t != nil && t.principal == principal {
		return t
	}
	return nil
}

// open returns the tasks that have not ended and that clients know, in no order.
func (all *tasks) open() (open []*task) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, t := range all.by {
		if v := t.snapshot(); !v.status.final() {
			open = append(open, t)
		}
	}
	return open
}

// isClosing reports whether the server ends.
func (all *tasks) isClosing() bool {
	select {
	case <-all.closing:
		return true
	default:
		return false
	}
}

// saveLater calls save every second until it reports true, and once when the tasks are
// closed. It returns at once; close waits for it.
func (all *tasks) saveLater(save func() bool) {
	all.running.Go(func() {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for done := false; !done; done = save() {
			select {
			case <-all.closing:
				save()
				return
			case <-ticker.C:
			}
		}
	})
}

// drop cancels and forgets the tasks of a principal.
func (all *tasks) drop(principal string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, t := range all.by {
		if t.principal == principal {
			t.cancel()
			all.forgetLocked(t)
		}
	}
}

// close cancels all tasks and waits for them. No task can be started afterwards.
func (all *tasks) close() {
	all.mu.Lock()
	if !all.closed {
		close(all.closing)
	}
	all.closed = true
	for _, t := range all.by {
		t.cancel()
	}
	all.mu.Unlock()
	all.running.Wait()
}
