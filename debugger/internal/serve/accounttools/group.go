package accounttools

import (
	"time"
)

// A Group has the tools about the caller's plan and the audit trail.
type Group struct {
	trail    Trail
	accounts Accounts
	now      func() time.Time
}

// New returns a Group. Without a trail or accounts it serves a local user.
func New(trail Trail, accounts Accounts, now func() time.Time) *Group {
	t := &Group{trail: trail, accounts: accounts, now: now}
	if t.trail == nil {
		t.trail = noTrail{}
	}
	if t.accounts == nil {
		t.accounts = &localAccounts{trail: trail, now: now}
	}
	return t
}
