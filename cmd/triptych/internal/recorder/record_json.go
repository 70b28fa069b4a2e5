package recorder

import (
	"time"

	"github.com/triptych-mcp/triptych/transport/audit"
)

// A recordJSON is a record for programs.
type recordJSON struct {
	Chain    string            `json:"chain"`
	Seq      uint64            `json:"seq"`
	Time     time.Time         `json:"time"`
	Key      string            `json:"key"`
	Addr     string            `json:"addr,omitempty"`
	Session  string            `json:"session,omitempty"`
	Method   string            `json:"method"`
	Target   string            `json:"target,omitempty"`
	Outcome  audit.Outcome     `json:"outcome"`
	Code     int               `json:"code,omitempty"`
	Reason   string            `json:"reason,omitempty"`
	Duration float64           `json:"duration_ms"`
	Details  map[string]string `json:"details,omitempty"`
}

// JSONOf returns the form of a record in JSON.
func JSONOf(r audit.Record) recordJSON {
	return recordJSON{
		Chain: r.Chain, Seq: r.Seq, Time: r.Time, Key: r.Key, Addr: r.Addr, Session: r.Session, Method: r.Method, Target: r.Target,
		Outcome: r.Outcome, Code: r.Code, Reason: r.Reason, Duration: float64(r.Duration.Microseconds()) / 1000, Details: r.Details,
	}
}
