package aoc

import (
	"encoding/json"

	"github.com/triptych-mcp/triptych/aoc/race"
)

// Details holds the members of a record beyond the documented ones. Nil fields
// are unknown.
type Details struct {
	// Kind says what the time measures: [race.Solve], also if it is nil, or [race.Program].
	Kind      *string  `json:"kind,omitempty"`
	Correct   *bool    `json:"correct,omitempty"`
	Attempts  *int     `json:"attempts,omitempty"`
	Language  *string  `json:"language,omitempty"`
	TokensIn  *int64   `json:"tokensIn,omitempty"`
	TokensOut *int64   `json:"tokensOut,omitempty"`
	CostUSD   *float64 `json:"costUsd,omitempty"`
	Notes     *string  `json:"notes,omitempty"`
	// TimedMS is the time by the server's clock, from fetch_instruction to the accepted
	// answer, in milliseconds.
	TimedMS *int64 `json:"timedMs,omitempty"`
	CPUMS   *int64 `json:"cpuMs,omitempty"`     // processor time of a program
	Memory  *int64 `json:"peakBytes,omitempty"` // of a program
}

// RunKind returns the kind of the run.
func (d Details) RunKind() race.Kind {
	if d.Kind == nil {
		return race.Solve
	}
	return race.Kind(*d.Kind)
}

// detailsOf returns the details among the members of an entry. A member of another
// type belongs to another program and is ignored.
func detailsOf(extra []member) (d Details) {
	if len(extra) == 0 || json.Unmarshal(object(extra), &d) == nil {
		return d
	}
	d = Details{}
	for _, m := range extra {
		one := d
		if json.Unmarshal(object([]member{m}), &one) == nil {
			d = one
		}
	}
	return d
}

// members returns the details as members of an entry.
func (d Details) members() []member { return foreign(plainJSON(d), nil) }
