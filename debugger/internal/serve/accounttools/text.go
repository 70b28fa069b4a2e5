package accounttools

import (
	"fmt"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/mcp/plain"
)

// quota is the answer of quota_status.
type quota struct {
	Plan      string `json:"plan"`
	From      string `json:"period_start" doc:"First day of the period"`
	To        string `json:"period_end" doc:"Last day of the period"`
	Used      int64  `json:"used" doc:"Requests used in the period"`
	Limit     *int64 `json:"limit,omitempty" doc:"Requests of the period; absent when there is no limit"`
	Remaining *int64 `json:"remaining,omitempty" doc:"Requests left; absent when there is no limit"`
}

// Text is the documented form.
func (q quota) Text() string {
	return fmt.Sprintf("Quota Status:\n  Plan: %s\n  Period: %s to %s\n  Used: %s / %s requests\n  Remaining: %s requests",
		q.Plan, q.From, q.To, plain.Thousands(q.Used), limited(q.Limit), limited(q.Remaining))
}

// limited formats a number, nil being unlimited.
func limited(n *int64) string {
	if n == nil {
		return "unlimited"
	}
	return plain.Thousands(*n)
}

// license is the answer of license_info.
type license struct {
	Type     string   `json:"type"`
	Status   string   `json:"status"`
	Expires  *string  `json:"expires,omitempty" doc:"Last day; absent when it does not expire"`
	Features []string `json:"features"`
}

// Text is the documented form.
func (l license) Text() string {
	expires := "never"
	if l.Expires != nil {
		expires = *l.Expires
	}
	return fmt.Sprintf("License Information:\n  Type: %s\n  Status: %s\n  Expires: %s\n  Features: %s",
		l.Type, l.Status, expires, strings.Join(l.Features, ", "))
}

// audited is the answer of get_comprehensive_audit.
type audited struct {
	From     time.Time    `json:"start_time"`
	To       time.Time    `json:"end_time"`
	Records  []auditEntry `json:"records"`
	Next     *string      `json:"next_start_time,omitempty" doc:"Where to go on; absent when these are all records"`
	Verified bool         `json:"verified" doc:"Whether the whole trail is as it was written"`
	Hash     string       `json:"hash,omitempty" doc:"SHA-256 of the end of the hash chain"`
	Broken   string       `json:"broken,omitempty" doc:"Where the trail was tampered with"`
	Unsigned uint64       `json:"unsigned,omitempty" doc:"How many of the last records no signed head covers yet"`
}

// An auditEntry is a record in an answer.
type auditEntry struct {
	Time    time.Time         `json:"time"`
	Text    string            `json:"text" doc:"What happened, in a few words"`
	Key     string            `json:"key,omitempty"`
	Addr    string            `json:"addr,omitempty"`
	Session string            `json:"session,omitempty"`
	Method  string            `json:"method"`
	Target  string            `json:"target,omitempty"`
	Outcome string            `json:"outcome"`
	Code    int               `json:"code,omitempty"`
	Reason  string            `json:"reason,omitempty"`
	Details map[string]string `json:"details,omitempty"`
}

func entryOf(r AuditRecord) auditEntry {
	return auditEntry{
		Time: r.Time.UTC(), Text: plain.Line(describe(&r)), Key: r.Key, Addr: r.Addr, Session: r.Session,
		Method: r.Method, Target: r.Target, Outcome: r.Outcome, Code: r.Code, Reason: r.Reason, Details: r.Details,
	}
}

// Text is the documented form. If the period is longer than a day, each line
// has the date.
func (a audited) Text() string {
	first, last := day(a.From), day(a.To.Add(-1))
	title, clock := first, time.TimeOnly
	if first < last {
		title, clock = first+" to "+last, time.DateTime
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Audit Trail (%s):\n\n", title)
	for _, r := range a.Records {
		fmt.Fprintf(&b, "[%s] %s\n", r.Time.Format(clock), r.Text)
	}
	if len(a.Records) == 0 {
		b.WriteString("No records\n")
	}
	if a.Next != nil {
		fmt.Fprintf(&b, "More records follow; go on with start_time %s\n", *a.Next)
	}
	return b.String() + "\n" + a.proof()
}

// proof returns the end of the text: whether the trail is whole.
func (a audited) proof() string {
	switch {
	case !a.Verified:
		return "Hash chain broken: " + plain.Line(a.Broken)
	case a.Unsigned > 0:
		return fmt.Sprintf("Hash chain verified: SHA256:%s\nNot signed yet: the last %d records", a.Hash, a.Unsigned)
	}
	return "Hash chain verified: SHA256:" + a.Hash
}
