package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// OpenRecorder opens the audit trail that the flags and the environment select for a
// server over standard input and output, or for a command. In a store it continues the
// chain with a name; without a name it starts a new chain. The returned function closes it.
func (a *App) OpenRecorder(ctx context.Context, env mcp.Env, name string) (*Recorder, func(), error) {
	if a.Flags.NoAudit {
		return &Recorder{}, func() {}, nil
	}
	client, err := a.dialWithRulesets(ctx, env)
	if err != nil {
		return nil, nil, err
	}
	trail, err := a.newTrail(client, env, name)
	if err != nil {
		return nil, nil, err
	}
	r := &Recorder{trail: trail, place: trailPlace(client), deferring: true, checkpoints: CheckpointFile(env.Data)}
	if client == nil {
		r.dir = filepath.Join(env.Data, "audit")
	}
	return r, func() {
		r.close(env.Logger)
		if client != nil {
			_ = client.Close() // all requests have been answered
		}
	}, nil
}

// dialWithRulesets connects to the store if the rulesets are served, and returns nil
// otherwise: such a server does not need it for anything else.
func (a *App) dialWithRulesets(ctx context.Context, env mcp.Env) (redis.UniversalClient, error) {
	chosen, err := a.ChosenFamilies()
	if err != nil || !slices.ContainsFunc(chosen, func(f Family) bool { return f.stored }) {
		return nil, err
	}
	return a.DialValkey(ctx, env.Logger)
}

// newTrail returns the trail: in the store of client, or else in the data folder. It does
// not read or write anything yet. In a store, a process continues the chain of its name;
// without a name it starts a new chain.
func (a *App) newTrail(client redis.UniversalClient, env mcp.Env, name string) (*audit.Log, error) {
	always, err := a.syncsAlways()
	if err != nil {
		return nil, err
	}
	keep, size, err := a.auditLimits()
	if err != nil {
		return nil, err
	}
	log, dir := env.Logger.With("component", "audit"), filepath.Join(env.Data, "audit")
	if client != nil {
		return audit.NewValkey(audit.ValkeyConfig{
			Client: client, Prefix: env.StorePrefix, KeyDir: dir, Name: name, KeepFor: keep, KeepBytes: size, Now: env.Now, Logger: log, Always: always,
		}), nil
	}
	cfg := audit.Config{Dir: dir, KeepFor: keep, Now: env.Now, Logger: log, Always: always}
	if size > 0 {
		cfg.KeepFiles = auditFiles
		cfg.MaxFile = size / auditFiles
	}
	return audit.New(cfg), nil
}

// auditFiles is the number of files of a chain that a limit of bytes is divided into.
const auditFiles = 8

// minAuditSize is the smallest limit, in bytes: each file must be able to hold some records.
const minAuditSize = 1 << 20

// auditLimits returns the maximum age and total size of records; 0 means no limit.
func (a *App) auditLimits() (keep time.Duration, size int64, err error) {
	if text := cmp.Or(a.Flags.auditKeep, a.Getenv("TRIPTYCH_AUDIT_KEEP")); text != "" {
		if keep, err = command.ParseSpan(text); err != nil || keep <= 0 {
			return 0, 0, cmderr.UsageErrorf("--audit-keep is %q, want a time such as 90d or 12h", text)
		}
	}
	limit := a.Flags.auditSize
	if text := a.Getenv("TRIPTYCH_AUDIT_SIZE"); limit == 0 && text != "" {
		if err := limit.Set(text); err != nil {
			return 0, 0, cmderr.UsageErrorf("TRIPTYCH_AUDIT_SIZE: %v", err)
		}
	}
	if limit != 0 && limit < minAuditSize {
		return 0, 0, cmderr.UsageErrorf("--audit-size is %s, want 1MiB or more", limit.String())
	}
	return keep, int64(limit), nil
}

// syncsAlways reports whether look-ups are synced like changes.
func (a *App) syncsAlways() (bool, error) {
	switch text := cmp.Or(a.Flags.auditSync, a.Getenv("TRIPTYCH_AUDIT_SYNC")); text {
	case "", "second":
		return false, nil
	case "always":
		return true, nil
	default:
		return false, cmderr.UsageErrorf("--audit-sync is %q, want second or always", text)
	}
}

// trailPlace returns a name of the place of the trail for error messages.
func trailPlace(client redis.UniversalClient) string {
	if client != nil {
		return "the audit trail in Valkey"
	}
	return "the audit trail in the data folder"
}

// CheckpointFile returns the path of the checkpoints in a data folder.
func CheckpointFile(data string) string { return filepath.Join(data, "audit", "verified.json") }

// CheckFolder returns an error if the trail is in a data folder that is not writable, so
// that every call would fail. The first record creates a missing folder.
func (r *Recorder) CheckFolder() error {
	if r.dir == "" {
		return nil
	}
	place := r.dir
	if _, err := os.Stat(place); errors.Is(err, fs.ErrNotExist) {
		place = filepath.Dir(place) // where it would be created
	}
	f, err := os.CreateTemp(place, ".writable-*")
	switch {
	case err == nil:
		return errors.Join(f.Close(), os.Remove(f.Name()))
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return cmderr.WithHints(fmt.Errorf("the audit trail cannot be written, so no call would be answered: %w", err),
			"--no-audit serves a data folder that is only read, without records")
	}
	return nil
}
