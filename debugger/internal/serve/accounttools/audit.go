package accounttools

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/schema"
)

// maxAuditRecords is the maximum number of records in an answer; they fit well
// into what clients accept in a message.
const maxAuditRecords = 5000

type auditArgs struct {
	Start   *string `json:"start_time" doc:"ISO 8601"`
	End     *string `json:"end_time" doc:"ISO 8601, exclusive"`
	Session *string `json:"session_id"`
}

var errEndFirst = errors.New("end_time must not be before start_time")

// Validate checks what the published schema does not express, and lists all
// violations.
func (a auditArgs) Validate() error {
	var found schema.Error
	check := func(arg string, err error) {
		if err != nil {
			found.Violations = append(found.Violations, schema.Violation{Kind: schema.Rule, Arg: arg, Path: arg, Message: err.Error()})
		}
	}
	start, startErr := parseTime("start_time", a.Start)
	end, endErr := parseTime("end_time", a.End)
	check("start_time", startErr)
	check("end_time", endErr)
	if !end.from.IsZero() && !end.to.After(start.from) && end.from.Before(start.from) {
		check("end_time", errEndFirst)
	}
	if len(found.Violations) > 0 {
		return &found
	}
	return nil
}

// bounds returns the period that the arguments mean. By default it begins at
// the start of the day and ends now.
func (a auditArgs) bounds(now time.Time) (from, to time.Time) {
	start, _ := parseTime("", a.Start) // Validate has read both
	end, _ := parseTime("", a.End)
	from, to = start.from, end.to
	if to.IsZero() {
		to = now.UTC().Add(time.Microsecond) // what was recorded just now is in
	}
	if from.IsZero() {
		from = to.Add(-1).Truncate(24 * time.Hour) // in UTC
	}
	return from, to
}

// audit shows a caller the caller's own records, and a local caller all of
// them.
func (t *Group) audit(ctx context.Context, call *mcp.Call, args auditArgs) (audited, error) {
	from, to := args.bounds(t.now())
	filter := AuditFilter{From: from, To: to}
	if args.Session != nil {
		filter.Session = *args.Session
	}
	if p := call.Caller().Principal; p.ID != host.Local().ID {
		filter.Key = p.ID
	}
	records, err := t.earliest(ctx, filter)
	if err != nil {
		return audited{}, err
	}
	a := audited{From: from, To: to, Records: []auditEntry{}}
	for _, r := range records[:min(len(records), maxAuditRecords)] {
		a.Records = append(a.Records, entryOf(r))
	}
	if len(records) > maxAuditRecords {
		a.Next = new(records[maxAuditRecords].Time.UTC().Format(time.RFC3339Nano))
	}
	proof, err := t.trail.Verify(ctx)
	a.Verified, a.Hash, a.Broken, a.Unsigned = proof.Broken == "", proof.Hash, proof.Broken, proof.Unsigned
	return a, err
}

// earliest returns the first records by time, one more than an answer may
// have. The trail is in the order in which calls ended.
func (t *Group) earliest(ctx context.Context, filter AuditFilter) (found []AuditRecord, err error) {
	const most = maxAuditRecords + 1
	cut := func() {
		slices.SortStableFunc(found, func(a, b AuditRecord) int { return a.Time.Compare(b.Time) })
		found = found[:min(len(found), most)]
	}
	for r, err := range t.trail.Records(ctx, filter) {
		if err != nil {
			return nil, err
		}
		if found = append(found, r); len(found) == 4*most {
			cut()
		}
	}
	cut()
	return found, nil
}
