package session

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// Restart calls launch with the program that was launched in a client's session:
// the session id, or the only or last one if id is "". It ends the session first
// if it is still there. Only one restart of a session is in progress at a time;
// another one fails before it ends or launches anything.
func (r *Registry) Restart(ctx context.Context, key, id string, launch func(Program) error) error {
	id, s, err := r.beginRestart(key, id)
	if err != nil {
		return err
	}
	defer r.endRestart(id)
	if s != nil {
		if err := r.End(ctx, s, true, s.Target.Name()+" was restarted"); err != nil {
			return err
		}
	}
	r.mu.Lock()
	p, err := r.endedProgramLocked(key, id)
	r.mu.Unlock()
	if err != nil {
		return err
	}
	return launch(p)
}

// beginRestart reserves the id of a session for a restart and returns it, and
// the session unless that has ended. endRestart releases the id.
func (r *Registry) beginRestart(key, id string) (string, *Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for other, owner := range r.restarting {
		if owner == key && (id == "" || id == other) {
			return "", nil, failure.Errorf("Restarting", "the session %s is being restarted by another call", other)
		}
	}
	s, err := r.findLocked(key, id)
	_, ended := errors.AsType[*failure.NotAttachedError](err)
	switch {
	case ended:
		p, err := r.endedProgramLocked(key, id)
		if err != nil {
			return "", nil, err
		}
		id = p.ID
	case err != nil:
		return "", nil, err
	case !s.Target.Launched() || s.Parent != "":
		return "", nil, failure.Errorf("Not launched", "%s was not launched here", s.Target.Name())
	default:
		id = s.ID
	}
	r.restarting[id] = key
	return id, s, nil
}

func (r *Registry) endRestart(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.restarting, id)
}
