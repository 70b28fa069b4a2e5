package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// Settings are the settings of the audit trail.
type Settings struct {
	NoAudit    bool
	sync, keep string
	size       command.ByteSize
}

// RegisterFlags registers the flags of a server.
func (s *Settings) RegisterFlags(set *pflag.FlagSet) {
	set.StringVar(&s.sync, "audit-sync", "", "sync the audit records of look-ups: `second|always` (TRIPTYCH_AUDIT_SYNC)\ndefault: second\n"+
		"Those of changes are always synced before the answer; with second, those of look-ups within a second.")
	set.StringVar(&s.keep, "audit-keep", "", "delete audit records that are older than this `time`, such as 90d (TRIPTYCH_AUDIT_KEEP)\ndefault: they stay")
	set.Var(&s.size, "audit-size", "delete the oldest audit records beyond this `size` of each chain; 0 is no limit (TRIPTYCH_AUDIT_SIZE)")
}

// RegisterNoAudit registers --no-audit.
func (s *Settings) RegisterNoAudit(set *pflag.FlagSet) {
	set.BoolVar(&s.NoAudit, "no-audit", false, "record nothing in the audit trail; for data folders that cannot be written")
}

// Open opens the trail of a server over standard input and output, or of a command, in the
// store of client or else in the data folder. In a store it continues the chain with a
// name; without a name it starts a new chain. Close the recorder.
func (s *Settings) Open(client redis.UniversalClient, env host.Env, name string) (*Recorder, error) {
	trail, err := s.newTrail(client, env, name)
	if err != nil {
		return nil, err
	}
	r := &Recorder{trail: trail, place: trailPlace(client), deferring: true, checkpoints: CheckpointFile(env.Data)}
	if client == nil {
		r.dir = filepath.Join(env.Data, "audit")
	}
	return r, nil
}

// newTrail returns the trail: in the store of client, or else in the data folder. It does
// not read or write anything yet. In a store, a process continues the chain of its name;
// without a name it starts a new chain.
func (s *Settings) newTrail(client redis.UniversalClient, env host.Env, name string) (*audit.Log, error) {
	always, err := s.syncsAlways(env.Getenv)
	if err != nil {
		return nil, err
	}
	keep, size, err := s.limits(env.Getenv)
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

// limits returns the maximum age and total size of records; 0 means no limit.
func (s *Settings) limits(getenv func(string) string) (keep time.Duration, size int64, err error) {
	if text := cmp.Or(s.keep, getenv("TRIPTYCH_AUDIT_KEEP")); text != "" {
		if keep, err = command.ParseSpan(text); err != nil || keep <= 0 {
			return 0, 0, cmderr.UsageErrorf("--audit-keep is %q, want a time such as 90d or 12h", text)
		}
	}
	limit := s.size
	if text := getenv("TRIPTYCH_AUDIT_SIZE"); limit == 0 && text != "" {
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
func (s *Settings) syncsAlways(getenv func(string) string) (bool, error) {
	switch text := cmp.Or(s.sync, getenv("TRIPTYCH_AUDIT_SYNC")); text {
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
