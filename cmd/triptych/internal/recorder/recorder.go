// Package recorder records the requests of a server and the changes of commands in the audit
// trail, the metrics, the telemetry and the log.
//
// [New] makes the recorder of a server over HTTPS, and [Settings.Open] that of a server over
// standard input and output or of a command. [Recorder.Configure] connects it with a server.
package recorder

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/metrics"
	"github.com/triptych-mcp/triptych/transport/requestid"
	"github.com/triptych-mcp/triptych/transport/streamable"
	"github.com/triptych-mcp/triptych/transport/telemetry"
)

// A Recorder records requests in the audit trail, the metrics, the telemetry and the
// log. Its methods may be called concurrently.
type Recorder struct {
	trail     *audit.Log           // nil if nothing is recorded
	place     string               // where the trail is, for error messages
	metrics   *metrics.Metrics     // nil for none
	telemetry *telemetry.Telemetry // nil for none
	last      atomic.Uint64        // number of the newest record
	changed   atomic.Uint64        // number of the newest record of a change
	lastUses  lastUses             // by key
	log       *slog.Logger         // of requests; nil for none
	slow      time.Duration        // calls that take longer are logged; 0 for none
	lines     lineLimit            // of rejected requests in the log
	waits     waits                // for the trail, in traces

	failing func(error) // gets the errors of the trail; may be nil

	// deferring makes the recorder hold back records of a client that only browses,
	// until it does more: editors start servers to list what they offer.
	deferring bool
	mu        sync.Mutex // guards held
	held      []ClassifiedRecord

	verifying   sync.Mutex        // guards verified and the file
	verified    audit.Checkpoints // where the last verification ended, nil before the first one
	checkpoints string            // file of verified

	// dir is the folder of the trail if the chain may be opened before the first
	// record, "" otherwise.
	dir     string
	opening sync.WaitGroup // goroutines that open the trail
}

// New returns the recorder of a server over HTTPS. It logs calls that take
// longer than slow, and records nothing in a trail before OpenTrail.
func New(m *metrics.Metrics, log *slog.Logger, slow time.Duration) *Recorder {
	return &Recorder{metrics: m, log: log, slow: slow}
}

// OpenTrail opens the audit trail of a server, in the store of client or else in the
// data folder, and starts to verify a trail in a store. Close it.
func (r *Recorder) OpenTrail(ctx context.Context, s *Settings, client redis.UniversalClient, env host.Env, name string) error {
	trail, err := s.newTrail(client, env, name)
	if err != nil {
		return err
	}
	trail.Measure(r.metrics.AuditIO)
	r.trail, r.place, r.checkpoints = trail, trailPlace(client), CheckpointFile(env.Data)
	r.opening.Go(func() {
		if trail.Open() == nil && client != nil { // otherwise the first record tries again and reports the error
			_, _ = r.Verify(ctx) // so that the first call that verifies need not read all of it
		}
	})
	return nil
}

// CloseTrail waits until the trail has been opened and closes it.
func (r *Recorder) CloseTrail() error {
	r.opening.Wait()
	return r.trail.Close()
}

// OnFailure sets a function that gets the error whenever the trail cannot be written. It must be
// called before the first request.
func (r *Recorder) OnFailure(tell func(error)) { r.failing = tell }

// RecordAtOnce makes the recorder append all records at once. It must be called before the
// first request.
func (r *Recorder) RecordAtOnce() { r.deferring = false }

// Open opens the trail, if there is one, so that a command fails before it changes anything
// that could not be recorded.
func (r *Recorder) Open() error {
	if r.trail == nil {
		return nil
	}
	if err := r.trail.Open(); err != nil {
		return fmt.Errorf("%s cannot be written, so nothing was changed: %w", r.place, err)
	}
	return nil
}

// Records reports whether there is a trail.
func (r *Recorder) Records() bool { return r.trail != nil }

// Query returns the records of the trail that match a filter, including those of calls
// that have just ended.
func (r *Recorder) Query(ctx context.Context, f audit.Filter) iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		if err := r.Commit(ctx); err != nil {
			yield(audit.Record{}, err)
			return
		}
		r.trail.Query(ctx, f)(yield)
	}
}

// VerifyAll verifies the whole trail.
func (r *Recorder) VerifyAll(ctx context.Context) (audit.Report, error) { return r.trail.Verify(ctx) }

// Metrics returns the metrics, nil for none.
func (r *Recorder) Metrics() *metrics.Metrics { return r.metrics }

// Telemetry returns the telemetry, nil for none.
func (r *Recorder) Telemetry() *telemetry.Telemetry { return r.telemetry }

// LastUse returns when a key was last used, zero if not since the process started.
func (r *Recorder) LastUse(id string) time.Time { return r.lastUses.last(id) }

// A ClassifiedRecord is a record of a change, which must be synced before the answer is
// sent, or of a look-up, which need only be written.
type ClassifiedRecord struct {
	audit.Record
	Change bool
}

// maxHeld limits the records that are held back.
const maxHeld = 100

// Configure makes a server tell the recorder of its requests.
func (r *Recorder) Configure(cfg *mcp.Config) {
	cfg.Observe = r.observe
	if r.telemetry != nil {
		cfg.Trace = r.telemetry.Start
	}
}

// observe is called for each request before its answer is sent.
func (r *Recorder) observe(ctx context.Context, e *host.Event) error {
	if r.metrics != nil {
		r.metrics.Observe(e)
	}
	r.lastUses.saw(e.Caller.Principal.ID, e.Started)
	r.logRequest(ctx, e)
	defer r.telemetry.End(ctx, e) // after the start of the wait, which is a part of the request
	if r.trail == nil || e.Probe {
		return nil
	}
	if e.Method == "initialize" {
		r.warm()
	}
	looks := e.Browsing || e.Code == jsonrpc.CodeMethodNotFound
	if e.Method == host.SessionEnd {
		looks = r.last.Load() == 0 // the session did nothing else
	}
	appended, err := r.record(looks, ClassifiedRecord{Change: !e.LookUp || e.Code == host.CodePermissionDenied, Record: audit.Record{
		Time: e.Started, Key: e.Caller.Principal.ID, Addr: address(e.Caller), Session: sessionOf(e.Caller),
		Method: e.Method, Target: target(e), Outcome: outcome(e), Code: int(e.Code), Duration: e.Took, Details: details(e),
	}})
	if appended {
		r.startWait(ctx)
	}
	return err
}

// logRequest logs a slow call, and at the level debug every request.
func (r *Recorder) logRequest(ctx context.Context, e *host.Event) {
	if r.log == nil {
		return
	}
	level, text := slog.LevelDebug, "request"
	if r.slow > 0 && e.Took > r.slow && e.Method != host.SessionEnd {
		level, text = slog.LevelInfo, "a slow call"
	}
	if !r.log.Enabled(ctx, level) {
		return
	}
	log := r.log
	if id := telemetry.TraceID(ctx); id != "" {
		log = log.With("trace_id", id)
	}
	//nolint:sloglint // text is one of a few constants
	log.Log(ctx, level, text, "request_id", requestid.FromContext(ctx), "method", e.Method, "target", target(e), "key", e.Caller.Principal.ID,
		"session", sessionOf(e.Caller), "outcome", outcome(e), "code", int(e.Code), "dur", e.Took)
}

// RecordRefusal counts and logs a request that the endpoint rejected: its headers or its
// body are invalid, or a limit is reached.
func (r *Recorder) RecordRefusal(ctx context.Context, caller *host.Caller, refused *streamable.Refusal) {
	if r.metrics != nil {
		r.metrics.Refused(causeOf(refused), refused.Error.Code)
	}
	r.logRefusal(ctx, "key", caller.Principal.ID, "addr", caller.Addr.Addr(), "status", refused.Status,
		"code", int(refused.Error.Code), "reason", refused.Error.Error())
}

// logRefusal logs a rejected request, unless there are too many.
func (r *Recorder) logRefusal(ctx context.Context, attrs ...any) {
	if r.log == nil {
		return
	}
	dropped, ok := r.lines.allow(time.Now())
	if !ok {
		return
	}
	if dropped > 0 {
		attrs = append(attrs, "not_logged_before", dropped)
	}
	r.log.InfoContext(ctx, "a request was refused", append([]any{"request_id", requestid.FromContext(ctx)}, attrs...)...)
}

// warm opens an existing trail while a handshake is answered, so that the first call need
// not wait for it.
func (r *Recorder) warm() {
	if r.dir == "" {
		return
	}
	if _, err := os.Stat(r.dir); err == nil {
		r.opening.Go(func() { _ = r.trail.Open() }) // the first record tries again and reports the error
	}
}

// record appends a record after those held back, or holds it back if the client has only
// browsed so far.
func (r *Recorder) record(looks bool, record ClassifiedRecord) (appended bool, err error) {
	if !r.deferring {
		err = r.Append(record)
		return err == nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = append(r.held, record)
	if looks && len(r.held) <= maxHeld {
		return false, nil
	}
	err = r.releaseLocked()
	return err == nil, err
}

// release appends the records that are held back.
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

// Append appends a record without waiting until it is written.
func (r *Recorder) Append(record ClassifiedRecord) error {
	seq, err := r.trail.Append(record.Record)
	if err != nil {
		return r.away(err)
	}
	if record.Change {
		raise(&r.changed, seq)
	}
	raise(&r.last, seq)
	return nil
}

// raise sets a number unless it is already larger.
func raise(number *atomic.Uint64, to uint64) {
	for {
		now := number.Load()
		if to <= now || number.CompareAndSwap(now, to) {
			return
		}
	}
}

// Commit waits until the records of all changes so far are synced, and those of all
// look-ups are written.
func (r *Recorder) Commit(ctx context.Context) error {
	if r.trail == nil {
		return nil
	}
	began, waiting := time.Now(), r.waits.take() // all their records are appended, so they are committed below
	err := r.commitTrail(ctx)
	for _, end := range waiting {
		end(err)
	}
	if r.metrics != nil {
		r.metrics.Committed(time.Since(began), err)
	}
	return err
}

func (r *Recorder) commitTrail(ctx context.Context) error {
	if changed := r.changed.Load(); changed > 0 {
		if err := r.trail.Commit(ctx, changed); err != nil {
			return r.away(err)
		}
	}
	if last := r.last.Load(); last > 0 {
		if err := r.trail.Write(ctx, last); err != nil {
			return r.away(err)
		}
	}
	return nil
}

// away returns the error for a trail that cannot be written. Callers get its message; the
// path and the cause are only logged.
func (r *Recorder) away(err error) error {
	if r.failing != nil {
		r.failing(err)
	}
	return fmt.Errorf("%w: %w", &mcp.UnavailableError{
		Message: r.place + " cannot be written: the call could not be recorded, so its result is withheld",
	}, err)
}

// CountRefusal counts a request that the authenticator refused. Not all of them are rejections,
// which are recorded.
func (r *Recorder) CountRefusal(cause bearer.Cause, code jsonrpc.Code) {
	r.metrics.Refused(string(cause), code)
}

// RecordRejection records a request that failed authentication, and commits the record.
func (r *Recorder) RecordRejection(ctx context.Context, no bearer.Rejection) {
	r.logRefusal(ctx, "key", no.Key, "addr", no.Addr, "code", int(no.Code), "reason", no.Reason)
	if r.trail == nil {
		return
	}
	record := audit.Record{Key: no.Key, Method: "http", Outcome: audit.Refused, Code: int(no.Code), Reason: no.Reason}
	if no.Addr.IsValid() {
		record.Addr = no.Addr.String()
	}
	if r.Append(ClassifiedRecord{Record: record, Change: true}) == nil {
		_ = r.Commit(context.WithoutCancel(ctx)) // the request is rejected in any case; the trail logs the error
	}
}

// Close closes the trail, if there is one, and logs an error.
func (r *Recorder) Close(log *slog.Logger) {
	if r.trail == nil {
		return
	}
	r.opening.Wait()
	if err := r.trail.Close(); err != nil {
		log.Error("audit trail not closed", "err", err)
	}
}
