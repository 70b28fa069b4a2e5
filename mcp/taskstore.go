package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// storedTasks are the tasks of a server in a store, and those of other servers there.
type storedTasks struct {
	store     host.TaskStore // nil if tasks are in memory only
	tasks     *tasks         // of this server
	listeners *listeners
	logger    *slog.Logger
}

// A taskState is the text of a record. Result and Extra are members of objects, not JSON
// by themselves.
type taskState struct {
	Status  taskStatus                 `json:"status"`
	Message string                     `json:"message,omitempty"`
	Created time.Time                  `json:"created"`
	Updated time.Time                  `json:"updated"`
	TTL     time.Duration              `json:"ttl"`
	Poll    time.Duration              `json:"poll"`
	Asks    map[string]InputRequest    `json:"asks,omitempty"`
	Answers map[string]json.RawMessage `json:"answers,omitempty"` // that the task has not taken yet
	// Round counts how often the task has asked, and AnswersTo is the round that Answers
	// belong to: a later question may have the name of an earlier one.
	Round     int64           `json:"round,omitempty"`
	AnswersTo int64           `json:"answersTo,omitempty"`
	Result    []byte          `json:"result,omitempty"`
	Extra     []byte          `json:"extra,omitempty"`
	Failure   json.RawMessage `json:"failure,omitempty"`
}

// stateOf returns the state of a view.
func stateOf(v *taskView) *taskState {
	return &taskState{
		Status: v.status, Message: v.message, Created: v.created, Updated: v.updated, TTL: v.ttl, Poll: v.poll,
		Asks: v.asks, Round: v.round, Result: v.result, Extra: v.extra, Failure: v.failure,
	}
}

// view returns the part of the state that clients see.
func (s *taskState) view(id string) *taskView {
	return &taskView{
		id: id, status: s.Status, message: s.Message, created: s.Created, updated: s.Updated, ttl: s.TTL, poll: s.Poll,
		asks: s.Asks, round: s.Round, result: s.Result, extra: s.Extra, failure: s.Failure,
	}
}

// answersTo returns the answers to what the task asked in a round.
func (s *taskState) answersTo(round int64) map[string]json.RawMessage {
	if s.AnswersTo != round {
		return nil
	}
	return s.Answers
}

// errTaskLost is the outcome of a task whose server has ended.
var errTaskLost = jsonrpc.Errorf(jsonrpc.CodeInternalError, "Internal error").
	WithDetails("the server that ran the task has ended; call the tool again")

// loadTask returns the stored state of a task.
func (s *storedTasks) loadTask(ctx context.Context, principal, id string) (*host.TaskRecord, *taskState, error) {
	r, err := s.store.Load(ctx, principal, id)
	if err != nil {
		return nil, nil, err
	}
	state := new(taskState)
	if err := json.Unmarshal(r.Text, state); err != nil {
		return nil, nil, err
	}
	if r.Lost {
		state.Status, state.Asks, state.Updated = taskFailed, nil, time.Now()
		state.Failure = jsonrpc.AppendErrorObject(nil, errTaskLost)
	}
	return r, state, nil
}

// saveState stores a state in a record.
func (s *storedTasks) saveState(ctx context.Context, r *host.TaskRecord, state *taskState) (err error) {
	if r.Text, err = json.Marshal(state); err != nil {
		return err
	}
	r.Final = state.Status.final()
	return s.store.Save(ctx, r)
}

// maxConflicts limits how often a change is tried again that others were faster than.
const maxConflicts = 20

// changeStored changes the stored state of a task of another server, unless it has ended.
func (s *storedTasks) changeStored(ctx context.Context, principal, id string, change func(*taskState)) error {
	err := host.ErrTaskChanged
	for n := 0; n < maxConflicts && errors.Is(err, host.ErrTaskChanged); n++ {
		r, state, failed := s.loadTask(ctx, principal, id)
		if failed != nil {
			return failed
		}
		if state.Status.final() {
			return nil
		}
		change(state)
		state.Updated = time.Now()
		err = s.saveState(ctx, r, state)
	}
	return err
}

// cancelStored cancels a task of another server, which learns of it.
func (s *storedTasks) cancelStored(ctx context.Context, principal, id string) error {
	return s.changeStored(ctx, principal, id, func(state *taskState) { state.Status, state.Asks, state.Answers = taskCancelled, nil, nil })
}

// answerStored gives answers to a task of another server, which takes them.
func (s *storedTasks) answerStored(ctx context.Context, principal, id string, responses map[string]json.RawMessage) error {
	return s.changeStored(ctx, principal, id, func(state *taskState) {
		state.Answers, state.AnswersTo = state.answersTo(state.Round), state.Round
		for key, response := range responses {
			if _, open := state.Asks[key]; open {
				if state.Answers == nil {
					state.Answers = map[string]json.RawMessage{}
				}
				state.Answers[key] = response
				delete(state.Asks, key)
			}
		}
		if state.Status == taskInput && len(state.Asks) == 0 {
			state.Status = taskWorking
		}
	})
}

// storeTask stores a task before its client knows it, and reports whether it could be.
// Without a store there is nothing to do.
func (s *storedTasks) storeTask(t *task) bool {
	if s.store == nil {
		return true
	}
	t.order.Lock()
	defer t.order.Unlock()
	view := t.snapshot()
	t.record = &host.TaskRecord{Principal: t.principal, ID: t.id, Expires: view.created.Add(view.ttl)}
	if err := s.saveState(context.Background(), t.record, stateOf(&view)); err != nil {
		s.logger.Warn("task not stored", "task", t.id, "err", err)
		t.record = nil
		return false
	}
	return true
}

// unstoreTask removes a task from the store that no client knows.
func (s *storedTasks) unstoreTask(t *task) {
	t.order.Lock()
	defer t.order.Unlock()
	if t.record != nil {
		_ = s.store.Remove(context.Background(), t.principal, t.id) // it expires
		t.record = nil
	}
}

// saveEvery is the shortest time between two saved messages of a task, whose clients ask
// every [taskPoll].
const saveEvery = time.Second

// publishTask notifies listeners of a change and stores it. The order of t is held.
func (s *storedTasks) publishTask(t *task, v *taskView) {
	s.listeners.notifyTask(v)
	if t.record == nil || v.status == taskWorking && t.savedStatus == taskWorking && time.Since(t.saved) < saveEvery {
		return
	}
	if err := s.saveTask(t, v); err != nil {
		s.logger.Warn("change of a task not stored", "task", t.id, "err", err)
		if !t.unsaved {
			t.unsaved = true
			s.tasks.saveLater(func() bool { return s.saveAgain(t) })
		}
	}
}

// saveTask stores a change of a task of this server. If the task was cancelled at another
// one, it is cancelled here. The order of t is held.
func (s *storedTasks) saveTask(t *task, v *taskView) error {
	state := stateOf(v)
	err := s.saveState(context.Background(), t.record, state)
	for n := 0; n < maxConflicts && errors.Is(err, host.ErrTaskChanged); n++ {
		r, stored, failed := s.loadTask(context.Background(), t.principal, t.id)
		switch {
		case errors.Is(failed, host.ErrNoTask):
			return nil // forgotten
		case failed != nil:
			return failed
		case r.Final:
			t.adopt(stored.view(t.id))
			return nil
		}
		t.record.Version = r.Version
		state.Answers, state.AnswersTo = stored.answersTo(v.round), v.round
		maps.DeleteFunc(state.Answers, func(key string, _ json.RawMessage) bool {
			_, open := v.asks[key]
			return !open
		})
		err = s.saveState(context.Background(), t.record, state)
	}
	if errors.Is(err, host.ErrNoRoom) && state.Status == taskCompleted {
		state.Status, state.Result, state.Extra = taskFailed, nil, nil
		state.Failure = jsonrpc.AppendErrorObject(nil, errNoRoomForResult)
		t.adopt(state.view(t.id))
		err = s.saveState(context.Background(), t.record, state)
	}
	if err == nil {
		t.saved, t.savedStatus, t.unsaved = time.Now(), v.status, false
	}
	return err
}

// saveAgain stores the state of a task whose store was away, and reports whether that is
// done or of no use any more.
func (s *storedTasks) saveAgain(t *task) bool {
	t.order.Lock()
	defer t.order.Unlock()
	view := t.snapshot()
	if t.record != nil && t.unsaved && time.Since(view.created) <= view.ttl && s.saveTask(t, &view) != nil {
		return false
	}
	t.unsaved = false
	return true
}

// adopt makes the view of a task the one that the store has: its job is of no use.
func (t *task) adopt(v *taskView) {
	t.mu.Lock()
	t.view = *v
	t.mu.Unlock()
	t.cancel()
}

// taskChanged handles a change of a task by another server: it cancels a task of this
// server or gives it its answers, and notifies listeners.
func (s *storedTasks) taskChanged(ctx context.Context, principal, id string) {
	var panicked error // it is logged, and there is no client to answer
	defer jsonrpc.Recover(s.logger, "change of a task", &panicked)
	if t := s.tasks.find(id, principal); t != nil {
		s.syncTask(ctx, t)
		return
	}
	if !s.listeners.listensFor(id) {
		return
	}
	if _, state, err := s.loadTask(ctx, principal, id); err == nil {
		s.listeners.notifyTask(state.view(id))
	}
}

// syncTask applies what other servers have stored for a task of this one. The task does
// not change between the look at the store and that.
func (s *storedTasks) syncTask(ctx context.Context, t *task) {
	t.order.Lock()
	defer t.order.Unlock()
	_, state, err := s.loadTask(ctx, t.principal, t.id)
	if err != nil {
		return // it is tried again
	}
	view := t.snapshot()
	switch answers := state.answersTo(view.round); {
	case view.status.final():
	case state.Status.final():
		t.adopt(state.view(t.id))
		s.listeners.notifyTask(state.view(t.id))
	case len(answers) > 0:
		t.answerLocked(answers)
	}
}

// syncEvery is the interval in which tasks are compared with the store: a notification may
// be lost.
const syncEvery = 5 * time.Second

// watchTasks handles the changes of tasks by other servers until ctx is done.
func (s *storedTasks) watchTasks(ctx context.Context) {
	err := s.store.Watch(ctx, func(principal, id string) { s.taskChanged(ctx, principal, id) })
	if err != nil && ctx.Err() == nil {
		s.logger.Warn("changes of tasks at other servers are seen late", "err", err)
	}
}

// syncTasks compares the tasks of this server with the store until ctx is done.
func (s *storedTasks) syncTasks(ctx context.Context) {
	ticker := time.NewTicker(syncEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for _, t := range s.tasks.open() {
			s.syncTask(ctx, t)
		}
	}
}
