package accounttools

import (
	"context"
	"fmt"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// Accounts return the plans of callers.
type Accounts interface {
	// Account returns the account of a principal.
	Account(ctx context.Context, p host.Principal) (Account, error)
}

// An Account is a plan and how much of it is used.
type Account struct {
	Plan   string    // such as "Developer"
	Status string    // such as "Active"
	From   time.Time // the period that Used counts
	To     time.Time // its end, which is not part of it
	Used   int64     // requests
	// Limit is the number of requests that the period has; negative means
	// unlimited.
	Limit    int64
	Expires  time.Time // zero means never
	Features []string  // nil means all
}

// unlimited is the Limit of an account without one.
const unlimited = -1

// features are the features of the program.
var features = []string{"Time-travel", "Audit trails", "Bug detection"}

// localAccounts are the accounts of callers without a key: they have no limits
// and do not expire.
type localAccounts struct {
	trail Trail // counts what is used; nil where none is kept
	now   func() time.Time
}

func (l *localAccounts) Account(ctx context.Context, p host.Principal) (Account, error) {
	now := l.now().UTC()
	from := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	a := Account{Plan: "Local", Status: "Active", From: from, To: from.AddDate(0, 1, 0), Limit: unlimited}
	if l.trail == nil {
		return a, nil
	}
	for _, err := range l.trail.Records(ctx, AuditFilter{From: a.From, To: a.To, Key: p.ID}) {
		if err != nil {
			return a, fmt.Errorf("counting requests: %w", err)
		}
		a.Used++
	}
	return a, nil
}

func (t *Group) quotaStatus(ctx context.Context, call *mcp.Call, _ struct{}) (quota, error) {
	a, err := t.accounts.Account(ctx, call.Caller().Principal)
	if err != nil {
		return quota{}, err
	}
	q := quota{Plan: a.Plan, From: day(a.From), To: day(a.To.Add(-1)), Used: a.Used}
	if a.Limit >= 0 {
		remaining := max(0, a.Limit-a.Used)
		q.Limit, q.Remaining = &a.Limit, &remaining
	}
	return q, nil
}

func (t *Group) licenseInfo(ctx context.Context, call *mcp.Call, _ struct{}) (license, error) {
	a, err := t.accounts.Account(ctx, call.Caller().Principal)
	if err != nil {
		return license{}, err
	}
	l := license{Type: a.Plan, Status: a.Status, Features: a.Features}
	if l.Features == nil {
		l.Features = features
	}
	if !a.Expires.IsZero() {
		l.Expires = new(day(a.Expires))
	}
	return l, nil
}

// day returns the day of a time in the documented form.
func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
