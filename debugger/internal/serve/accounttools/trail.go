package accounttools

import (
	"context"
	"errors"
	"iter"
	"time"
)

// A Trail is the audit trail as the family reads it.
type Trail interface {
	// Records yields the records that match the filter, in the order in which
	// they were written. It omits lines that were tampered with, which Verify
	// reports. An error is the last item.
	Records(ctx context.Context, filter AuditFilter) iter.Seq2[AuditRecord, error]
	// Verify checks the whole trail.
	Verify(ctx context.Context) (Proof, error)
}

// An AuditFilter selects records.
type AuditFilter struct {
	From, To time.Time // From is included, To is not; zero means no bound
	Session  string    // "" means any
	Key      string    // "" means any
}

// An AuditRecord is the record of one request.
type AuditRecord struct {
	Time    time.Time
	Key     string // id of the caller's key
	Addr    string // the caller's address, "" on stdio
	Session string
	// Method is the protocol's, or "session/end".
	Method  string
	Target  string // the tool by its documented name, or the scheme of a resource
	Outcome string // "ok", "error" or "refused"
	Code    int    // of an error or a refusal
	Reason  string
	Details map[string]string // such as {"pid": "12345"}
}

// A Proof is the result of verifying the trail.
type Proof struct {
	Hash   string // SHA-256 that stands for the whole trail, in hex
	Broken string // where it was tampered with, "" when it was not
	// Unsigned is the number of last records that no signed head covers yet.
	Unsigned uint64
}

var errNoTrail = errors.New("no audit trail is kept")

// noTrail is used if no trail is kept.
type noTrail struct{}

func (noTrail) Records(context.Context, AuditFilter) iter.Seq2[AuditRecord, error] {
	return func(yield func(AuditRecord, error) bool) { yield(AuditRecord{}, errNoTrail) }
}

func (noTrail) Verify(context.Context) (Proof, error) { return Proof{}, errNoTrail }
