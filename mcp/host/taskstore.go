package host

import (
	"context"
	"errors"
	"time"
)

// A TaskStore keeps the states of tasks for several servers: each of them answers for the
// tasks of all, and passes on cancellations and answers. It bounds the tasks and bytes of
// a principal, and the time of its methods.
type TaskStore interface {
	// Save stores a record and gives it its next version. The error is
	// [ErrTaskChanged] unless the version is the stored one, or 0 for a record that is
	// new, and [ErrNoRoom] if the principal has too many or too large ones. It
	// notifies the other servers.
	Save(ctx context.Context, r *TaskRecord) error
	// Load returns a record, or [ErrNoTask].
	Load(ctx context.Context, principal, id string) (*TaskRecord, error)
	// Remove removes a record.
	Remove(ctx context.Context, principal, id string) error
	// Watch calls changed for what other servers save, until ctx is done. Changes may
	// be missed.
	Watch(ctx context.Context, changed func(principal, id string)) error
}

// The errors of a [TaskStore].
var (
	ErrTaskChanged = errors.New("another server has changed the task")
	ErrNoTask      = errors.New("there is no such task")
)

// A TaskRecord is a task in a [TaskStore].
type TaskRecord struct {
	Principal, ID string
	Version       int64
	// Final reports whether the task has ended.
	Final bool
	// Lost is set by [TaskStore.Load] when the task has not ended but the server that
	// saved it first has.
	Lost    bool
	Expires time.Time
	Text    []byte // the state, for package mcp
}
