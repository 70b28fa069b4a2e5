package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// EndIfExited ends a session whose process has exited, once a caller has been
// told. It returns the error of the call, or ErrClosed.
func (r *Registry) EndIfExited(s *Session, err error) error {
	if errors.Is(err, proc.ErrDetached) {
		return ErrClosed
	}
	stop, ended := s.Target.ExitStop()
	if !ended || s.UnreportedOperation() != nil && err == nil {
		return err
	}
	text := s.Target.Name() + " " + describeEnd(stop)
	if endErr := r.End(context.Background(), s, false, text); endErr != nil {
		s.Inspector.Log.Warn("a process that ended could not be released", "err", endErr)
	}
	if err != nil {
		return failure.NotAttached(text)
	}
	return nil
}

// describeEnd describes how a process ended.
func describeEnd(stop proc.Stop) string {
	switch {
	case stop.Why == proc.Killed:
		return "was killed by signal " + signalName(stop.Signal)
	case stop.Status == proc.UnknownStatus:
		return "has ended"
	}
	return fmt.Sprintf("exited with status %d", stop.Status)
}

// An ending is kept to tell callers how their session ended, and to launch its
// program again.
type ending struct {
	id, key, text string
	program       *Program // nil unless it was launched
}

// maxEndings is the number of endings that are kept.
const maxEndings = 64

// endingLocked returns how a session of a client ended, the last one if id is
// "". Registry.mu is held.
func (r *Registry) endingLocked(key, id string) string {
	for _, e := range slices.Backward(r.ended) {
		if e.key == key && (id == "" || e.id == id) {
			return e.text
		}
	}
	return ""
}

// expire ends a session that has been idle for too long.
func (r *Registry) expire(s *Session) {
	r.Log.Info("ending an idle debugging session", "session", s.ID, "dur", r.Idle)
	text := fmt.Sprintf("%s was released because the session had been idle for %s", s.Target.Name(), r.Idle)
	if err := r.End(context.Background(), s, s.Target.Launched(), text); err != nil {
		r.Log.Warn("a process could not be released", "session", s.ID, "err", err)
	}
}

// End removes a session and releases its process. A second call does nothing.
func (r *Registry) End(ctx context.Context, s *Session, kill bool, text string) error {
	r.mu.Lock()
	mine := r.sessions[s.ID] == s
	if mine {
		delete(r.sessions, s.ID)
		r.ended = append(r.ended, ending{id: s.ID, key: s.Key, text: text})
		r.ended = r.ended[max(0, len(r.ended)-maxEndings):]
	}
	r.mu.Unlock()
	if !mine {
		return nil
	}
	err := s.close(ctx, kill)
	r.rememberProgram(s)
	return err
}

// EndAll ends the sessions of a client, or of all if all is true; no session
// begins after that. Attached processes run on; launched ones are killed.
func (r *Registry) EndAll(key string, all bool) error {
	r.mu.Lock()
	r.closed = r.closed || all
	var mine []*Session
	for _, s := range r.sessions {
		if all || s.Key == key {
			mine = append(mine, s)
		}
	}
	r.mu.Unlock()
	errs := make([]error, len(mine))
	var wg sync.WaitGroup
	for i, s := range mine {
		wg.Go(func() {
			errs[i] = r.End(context.Background(), s, s.Target.Launched(), "the session has ended")
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// EndClient ends the sessions of a client that has gone.
func (r *Registry) EndClient(key string) {
	if err := r.EndAll(key, false); err != nil {
		r.Log.Warn("a process could not be released", "err", err)
	}
}
