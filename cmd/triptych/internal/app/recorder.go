package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/metrics"
	"github.com/triptych-mcp/triptych/transport/requestid"
	"github.com/triptych-mcp/triptych/transport/streamable"
	"github.com/triptych-mcp/triptych/transport/telemetry"
)

// A Recorder writes what servers do into the audit trail and the metrics.
type Recorder struct {
	Trail     *audit.Log           // nil when nothing is recorded
	Store     string               // where the trail is, for error messages
	Numbers   *metrics.Metrics     // nil where there are none
	Telemetry *telemetry.Telemetry // nil where none is sent
	last      atomic.Uint64        // number of the newest record
	changed   atomic.Uint64        // number of the newest record of a change
	LastUses  lastUses             // by key
	Log       *slog.Logger         // of requests; nil logs none
	Slow      time.Duration        // a call that takes longer is logged; 0 logs none
	lines     lineLimit            // of refused requests in the log

	// patient recorders hold back what a client does that only looks around,
	// until it does more: editors start servers to see what they have.
	Patient bool
	mu      sync.Mutex
	held    []ClassifiedRecord

	verifying   sync.Mutex
	verified    audit.Checkpoints // up to which the trail was verified, nil before the first time
	Checkpoints string            // the file of them

	// dir is the folder of the trail if opening a chain there early leaves
	// nothing behind that was not there, "" otherwise.
	dir     string
	Opening sync.WaitGroup
}

// A ClassifiedRecord says whether it is of a change, which must be synced before
// its answer is sent, or of a look-up, which must only be written.
type ClassifiedRecord struct {
	audit.Record
	Change bool
}

// OpenTrail opens the trail: on the server of the stores, else in the data
// folder. Nothing is read or written yet. In a store, a process goes on with the chain of
// its name; without a name it begins one.
func (a *App) OpenTrail(client redis.UniversalClient, env mcp.Env, name string) (*audit.Log, error) {
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

// auditFiles is the number of files of a chain among which a limit of bytes is divided.
const auditFiles = 8

// minAuditSize is the smallest limit of bytes, with which a file has room for some records.
const minAuditSize = 1 << 20

// auditLimits returns for how long records stay and how many bytes, 0 for no limit.
func (a *App) auditLimits() (keep time.Duration, size int64, err error) {
	if text := cmp.Or(a.Flags.auditKeep, a.Getenv("TRIPTYCH_AUDIT_KEEP")); text != "" {
		if keep, err = ParseSpan(text); err != nil || keep <= 0 {
			return 0, 0, UsageErrorf("--audit-keep is %q, want a time such as 90d or 12h", text)
		}
	}
	limit := a.Flags.auditSize
	if text := a.Getenv("TRIPTYCH_AUDIT_SIZE"); limit == 0 && text != "" {
		if err := limit.Set(text); err != nil {
			return 0, 0, UsageErrorf("TRIPTYCH_AUDIT_SIZE: %v", err)
		}
	}
	if limit != 0 && limit < minAuditSize {
		return 0, 0, UsageErrorf("--audit-size is %s, want 1MiB or more", limit.String())
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
		return false, UsageErrorf("--audit-sync is %q, want second or always", text)
	}
}

// TrailPlace names the place of the trail for people.
func TrailPlace(client redis.UniversalClient) string {
	if client != nil {
		return "the audit trail in Valkey"
	}
	return "the audit trail in the data folder"
}

// maxHeld limits the records that are held back.
const maxHeld = 100

// observe is told of each request before its answer leaves.
func (r *Recorder) observe(ctx context.Context, e *mcp.Event) error {
	if r.Numbers != nil {
		r.Numbers.Observe(e)
	}
	r.LastUses.saw(e.Caller.Principal.ID, e.Started)
	r.logRequest(ctx, e)
	r.Telemetry.End(ctx, e)
	if r.Trail == nil || e.Probe {
		return nil
	}
	if e.Method == "initialize" {
		r.warm()
	}
	looks := e.Browsing || e.Code == jsonrpc.CodeMethodNotFound
	if e.Method == mcp.SessionEnd {
		looks = r.last.Load() == 0 // the session did nothing else
	}
	return r.record(looks, ClassifiedRecord{Change: !e.LookUp || e.Code == mcp.CodePermissionDenied, Record: audit.Record{
		Time: e.Started, Key: e.Caller.Principal.ID, Addr: address(e.Caller), Session: sessionOf(e.Caller),
		Method: e.Method, Target: target(e), Outcome: outcome(e), Code: int(e.Code), Duration: e.Took, Details: details(e),
	}})
}

// logRequest logs a slow call, and at the level debug every request.
func (r *Recorder) logRequest(ctx context.Context, e *mcp.Event) {
	if r.Log == nil {
		return
	}
	level, text := slog.LevelDebug, "request"
	if r.Slow > 0 && e.Took > r.Slow {
		level, text = slog.LevelInfo, "a slow call"
	}
	if !r.Log.Enabled(ctx, level) {
		return
	}
	log := r.Log
	if id := telemetry.TraceID(ctx); id != "" {
		log = log.With("trace_id", id)
	}
	log.Log(ctx, level, text, "request_id", requestid.FromContext(ctx), "method", e.Method, "target", target(e), "key", e.Caller.Principal.ID,
		"session", sessionOf(e.Caller), "outcome", outcome(e), "code", int(e.Code), "dur", e.Took)
}

// RecordRefusal counts and logs a request that the endpoint refused, after or without
// authentication: its headers or its body are invalid, or there is no room for it.
func (r *Recorder) RecordRefusal(ctx context.Context, caller *mcp.Caller, refused *streamable.Refusal) {
	if r.Numbers != nil {
		r.Numbers.Refused(refused.Error.Code)
	}
	r.logRefusal(ctx, "key", caller.Principal.ID, "addr", caller.Addr.Addr(), "status", refused.Status,
		"code", int(refused.Error.Code), "reason", refused.Error.Error())
}

// logRefusal logs a refused request, unless there are too many.
func (r *Recorder) logRefusal(ctx context.Context, attrs ...any) {
	if r.Log == nil {
		return
	}
	dropped, ok := r.lines.allow(time.Now())
	if !ok {
		return
	}
	if dropped > 0 {
		attrs = append(attrs, "not_logged_before", dropped)
	}
	r.Log.InfoContext(ctx, "a request was refused", append([]any{"request_id", requestid.FromContext(ctx)}, attrs...)...)
}

// warm opens the chain beside the answer to a handshake, so that the first call does
// not wait for it, if there is a trail already.
func (r *Recorder) warm() {
	if r.dir == "" {
		return
	}
	if _, err := os.Stat(r.dir); err == nil {
		r.Opening.Go(func() { _ = r.Trail.Open() }) // the first record tries again and tells
	}
}

// record appends a record and those held back before it, or holds it back when
// the client only looks what the server has.
func (r *Recorder) record(looks bool, record ClassifiedRecord) error {
	if !r.Patient {
		return r.Append(record)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = append(r.held, record)
	if looks && len(r.held) <= maxHeld {
		return nil
	}
	return r.releaseLocked()
}

// release appends what is held back.
func (r *Recorder) release() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.releaseLocked()
}

func (r *Recorder) releaseLocked() error {
	for len(r.held) > 0 {
		if err := r.Append(r.held[0]); err != nil {
			return err
		}
		r.held = r.held[1:]
	}
	return nil
}

func (r *Recorder) Append(record ClassifiedRecord) error {
	seq, err := r.Trail.Append(record.Record)
	if err != nil {
		return r.away(err)
	}
	if record.Change {
		raise(&r.changed, seq)
	}
	raise(&r.last, seq)
	return nil
}

// raise sets a number unless it is larger already.
func raise(number *atomic.Uint64, to uint64) {
	for {
		now := number.Load()
		if to <= now || number.CompareAndSwap(now, to) {
			return
		}
	}
}

// Commit returns when the records of all changes so far are synced, and those of
// all look-ups written.
func (r *Recorder) Commit(ctx context.Context) error {
	if r.Trail == nil {
		return nil
	}
	began := time.Now()
	err := r.commitTrail(ctx)
	if r.Numbers != nil {
		r.Numbers.Committed(time.Since(began), err)
	}
	return err
}

func (r *Recorder) commitTrail(ctx context.Context) error {
	if changed := r.changed.Load(); changed > 0 {
		if err := r.Trail.Commit(ctx, changed); err != nil {
			return r.away(err)
		}
	}
	if last := r.last.Load(); last > 0 {
		if err := r.Trail.Write(ctx, last); err != nil {
			return r.away(err)
		}
	}
	return nil
}

// away says that the trail cannot be written, which callers may know; the path
// and the cause are for the log.
func (r *Recorder) away(err error) error {
	return fmt.Errorf("%w: %w", &mcp.UnavailableError{
		Message: r.Store + " cannot be written: the call could not be recorded, so its result is withheld",
	}, err)
}

// RecordRejection records a request that was not let in. It is kept with the next
// commit, which is this one.
func (r *Recorder) RecordRejection(ctx context.Context, no bearer.Rejection) {
	if r.Numbers != nil {
		r.Numbers.Refused(no.Code)
	}
	r.logRefusal(ctx, "key", no.Key, "addr", no.Addr, "code", int(no.Code), "reason", no.Reason)
	if r.Trail == nil {
		return
	}
	record := audit.Record{Key: no.Key, Method: "http", Outcome: audit.Refused, Code: int(no.Code), Reason: no.Reason}
	if no.Addr.IsValid() {
		record.Addr = no.Addr.String()
	}
	if r.Append(ClassifiedRecord{Record: record, Change: true}) == nil {
		_ = r.Commit(context.WithoutCancel(ctx)) // the request is refused all the same; the log of the trail tells
	}
}

func (r *Recorder) close(log *slog.Logger) {
	if r.Trail == nil {
		return
	}
	r.Opening.Wait()
	if err := r.Trail.Close(); err != nil {
		log.Error("audit trail not closed", "err", err)
	}
}

func address(c mcp.Caller) string {
	if !c.Addr.IsValid() {
		return ""
	}
	return c.Addr.Addr().String()
}

func sessionOf(c mcp.Caller) string {
	if c.Session == nil {
		return ""
	}
	return c.Session.ID
}

// target is the tool, the prompt or the scheme of the resource; a URI may say
// more than a trail should keep.
func target(e *mcp.Event) string {
	if scheme, _, ok := strings.Cut(e.Target, "://"); ok && e.Family == "" {
		return scheme
	}
	return e.Target
}

// details are the facts of the event. A call that became a task says so: what
// came of it is in the record of its end.
func details(e *mcp.Event) map[string]string {
	if !e.Task {
		return e.Details
	}
	all := maps.Clone(e.Details)
	if all == nil {
		all = map[string]string{}
	}
	all["task"] = "begun"
	return all
}

func outcome(e *mcp.Event) audit.Outcome {
	switch {
	case e.Code == mcp.CodePermissionDenied:
		return audit.Refused
	case e.Code != 0 || e.Failed:
		return audit.Failed
	}
	return audit.OK
}

// dialWithRulesets connects to the server of the rulesets if they are served;
// a server that needs it for nothing else does without.
func (a *App) dialWithRulesets(ctx context.Context, env mcp.Env) (redis.UniversalClient, error) {
	chosen, err := a.ChosenFamilies()
	if err != nil || !slices.ContainsFunc(chosen, func(f Family) bool { return f.stored }) {
		return nil, err
	}
	return a.DialValkey(ctx, env.Logger)
}

// OpenRecorder opens the audit trail that the flags and the environment select
// for a server over standard input and output, or for a command. In a store it has the
// chain of a name, or one of its own without a name.
func (a *App) OpenRecorder(ctx context.Context, env mcp.Env, name string) (*Recorder, func(), error) {
	if a.Flags.NoAudit {
		return &Recorder{}, func() {}, nil
	}
	client, err := a.dialWithRulesets(ctx, env)
	if err != nil {
		return nil, nil, err
	}
	trail, err := a.OpenTrail(client, env, name)
	if err != nil {
		return nil, nil, err
	}
	r := &Recorder{Trail: trail, Store: TrailPlace(client), Patient: true, Checkpoints: CheckpointFile(env.Data)}
	if client == nil {
		r.dir = filepath.Join(env.Data, "audit")
	}
	return r, func() {
		r.close(env.Logger)
		if client != nil {
			_ = client.Close() // every answer has come
		}
	}, nil
}

// CheckFolder returns an error if the trail is in a data folder that may not be written,
// so that every call would fail. A folder that is missing is made by the first record.
func (r *Recorder) CheckFolder() error {
	if r.dir == "" {
		return nil
	}
	place := r.dir
	if _, err := os.Stat(place); errors.Is(err, fs.ErrNotExist) {
		place = filepath.Dir(place) // where it would be made
	}
	f, err := os.CreateTemp(place, ".writable-*")
	switch {
	case err == nil:
		return errors.Join(f.Close(), os.Remove(f.Name()))
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return WithHints(fmt.Errorf("the audit trail cannot be written, so no call would be answered: %w", err),
			"--no-audit serves a data folder that is only read, without records")
	}
	return nil
}

// CheckpointFile returns the file of the checkpoints of a data folder.
func CheckpointFile(data string) string { return filepath.Join(data, "audit", "verified.json") }
