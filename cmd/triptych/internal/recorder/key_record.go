package recorder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/keys"
)

// RecordedKeys is a store whose changes are records of the audit trail: they are on
// disk before the caller learns of the change.
type RecordedKeys struct {
	keys.Store
	Record func(ctx context.Context, method, id string) error
}

// Create implements [keys.Store].
func (s *RecordedKeys) Create(ctx context.Context, kind keys.Kind, settings keys.Settings) (keys.Record, keys.Token, error) {
	r, token, err := s.Store.Create(ctx, kind, settings)
	if err != nil {
		return r, token, err
	}
	return r, token, s.changed(ctx, "create", r.ID)
}

// CreateFirst implements [keys.Store].
func (s *RecordedKeys) CreateFirst(ctx context.Context, kind keys.Kind, settings keys.Settings) (keys.Record, keys.Token, error) {
	r, token, err := s.Store.CreateFirst(ctx, kind, settings)
	if err != nil || r.ID == "" {
		return r, token, err
	}
	return r, token, s.changed(ctx, "create", r.ID)
}

// Rotate implements [keys.Store].
func (s *RecordedKeys) Rotate(ctx context.Context, id string, grace time.Duration) (keys.Record, keys.Token, error) {
	r, token, err := s.Store.Rotate(ctx, id, grace)
	if err != nil {
		return r, token, err
	}
	return r, token, s.changed(ctx, "rotate", id)
}

// Revoke implements [keys.Store].
func (s *RecordedKeys) Revoke(ctx context.Context, id string) (keys.Record, error) {
	r, err := s.Store.Revoke(ctx, id)
	if err != nil {
		return r, err
	}
	return r, s.changed(ctx, "revoke", id)
}

// Update implements [keys.Store].
func (s *RecordedKeys) Update(ctx context.Context, id string, change func(*keys.Settings) error) (keys.Record, error) {
	r, err := s.Store.Update(ctx, id, change)
	if err != nil {
		return r, err
	}
	return r, s.changed(ctx, "update", id)
}

// ChangeGrants implements [keys.Store].
func (s *RecordedKeys) ChangeGrants(ctx context.Context, id string, change func(keys.Record) ([]keys.Grant, error)) (keys.Record, error) {
	r, err := s.Store.ChangeGrants(ctx, id, change)
	if err != nil {
		return r, err
	}
	return r, s.changed(ctx, "clients", id)
}

// Invite implements [keys.Store].
func (s *RecordedKeys) Invite(ctx context.Context, id, host string, until time.Time) (keys.Record, keys.Token, error) {
	r, token, err := s.Store.Invite(ctx, id, host, until)
	if err != nil {
		return r, token, err
	}
	return r, token, s.changed(ctx, "invite", id)
}

// Redeem implements [keys.Store].
func (s *RecordedKeys) Redeem(ctx context.Context, id string, invitation keys.Token) (keys.Record, keys.Token, error) {
	r, token, err := s.Store.Redeem(ctx, id, invitation)
	if err != nil {
		return r, token, err
	}
	return r, token, s.changed(ctx, "redeem", r.ID)
}

func (s *RecordedKeys) changed(ctx context.Context, verb, id string) error {
	if err := s.Record(ctx, "key/"+verb, id); err != nil {
		return fmt.Errorf("%s was changed (%s), but the audit trail has no record of it: %w", id, verb, err)
	}
	return nil
}

// CommandChain returns the name of the chain of a store that the commands of this machine
// add to.
func CommandChain() string {
	host, _ := os.Hostname() // chains need no name
	return host + " commands"
}

// RecordOnce returns a function that adds one record to the trail: commands have no
// trail open, and most of them need none.
func (s *Settings) RecordOnce(client redis.UniversalClient, env host.Env) func(ctx context.Context, method, id string) error {
	return func(ctx context.Context, method, id string) error {
		trail, err := s.newTrail(client, env, CommandChain())
		if err != nil {
			return err
		}
		seq, err := trail.Append(administration(method, id))
		if err == nil {
			err = trail.Commit(ctx, seq)
		}
		return errors.Join(err, trail.Close())
	}
}

// administration is the record of something that the user of the machine did.
func administration(method, id string) audit.Record {
	return audit.Record{Key: host.Local().ID, Method: method, Target: id, Outcome: audit.OK}
}

// RecordAdministration records something that the server or its user did.
func (r *Recorder) RecordAdministration(ctx context.Context, method, id string) error {
	return r.RecordAdministrationBy(ctx, host.Caller{Principal: host.Local()}, method, id)
}

// RecordAdministrationBy records something that a caller did to the server.
func (r *Recorder) RecordAdministrationBy(ctx context.Context, by host.Caller, method, id string) error {
	if r.trail == nil {
		return nil
	}
	record := administration(method, id)
	record.Key, record.Addr = by.Principal.ID, address(by)
	if client := by.Principal.Client; client != "" {
		record.Details = map[string]string{"client": client}
	}
	if err := r.Append(ClassifiedRecord{Record: record, Change: true}); err != nil {
		return err
	}
	return r.Commit(ctx)
}
