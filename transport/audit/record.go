package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// A Record is one line of the trail: who asked for what, and what came of it. It never holds
// the values of arguments, keys or other secrets: the trail is read by people who may not see
// them, and nothing can be taken out of it again. Texts longer than 256 bytes are cut, and
// details after the 16th left out, so that no caller decides how long a line is.
type Record struct {
	// Chain and Seq say where a record that was read is: the Seq-th of that chain, from 1
	// on. [Log.Append] ignores both and returns the number that it gives.
	Chain string
	Seq   uint64
	// Time is when it happened, kept to the microsecond; [Log.Append] takes
	// the present when it is zero.
	Time time.Time
	// Key is the id of the caller's key, "local" on stdio.
	Key     string
	Addr    string // the caller's address, "" on stdio
	Session string
	Method  string // of the protocol, such as "tools/call"
	Target  string // the tool, or the scheme of the resource
	// Outcome says what came of it, Code the error or the refusal, 0 otherwise, and Reason
	// why, in a few words.
	Outcome Outcome
	Code    int
	Reason  string
	// Duration is the time that the answer took, kept to the microsecond. A negative one is
	// stored as 0.
	Duration time.Duration
	// Details are a few more facts, such as {"pid": "12345"}. [Log.Append] does not keep the
	// map.
	Details map[string]string
}

// An Outcome is the result of a request. Its text is part of the format of the trail.
type Outcome string

// The outcomes: it was done, it failed, or it was not allowed to begin.
const (
	OK      Outcome = "ok"
	Failed  Outcome = "error"
	Refused Outcome = "refused"
)

const (
	// maxText is the longest text of a record in bytes; what a caller sent,
	// such as the name of a tool that does not exist, is cut there.
	maxText = 256
	// maxDetails limits the details of a record to the first in order of name.
	maxDetails = 16
)

const (
	// timeFormat is a point in time as the trail writes it.
	timeFormat = "2006-01-02T15:04:05.000000Z"
	// timeStart comes before the time of a record.
	timeStart = `,"time":"`
)

// formatTime returns a time as the trail has it: UTC, to the microsecond, always of the
// same length, so that times compare as texts.
func formatTime(t time.Time) string { return t.UTC().Format(timeFormat) }

// body appends the record as members of a JSON object, beginning with the comma after seq.
// Members that are empty are left out; the order is fixed, so that equal records have equal
// bytes. The time comes first and the key second: [outside] and keyOf find them without
// parsing the line.
func (r *Record) body(dst []byte) []byte {
	dst = r.Time.UTC().AppendFormat(append(dst, timeStart...), timeFormat)
	dst = append(dst, '"')
	dst = text(dst, "key", r.Key)
	dst = text(dst, "addr", r.Addr)
	dst = text(dst, "session", r.Session)
	dst = text(dst, "method", r.Method)
	dst = text(dst, "target", r.Target)
	dst = text(dst, "outcome", string(r.Outcome))
	if r.Code != 0 {
		dst = strconv.AppendInt(append(dst, `,"code":`...), int64(r.Code), 10)
	}
	dst = text(dst, "reason", r.Reason)
	dst = strconv.AppendInt(append(dst, `,"us":`...), max(0, r.Duration.Microseconds()), 10)
	return r.details(dst)
}

// details appends the details in order of name: the order of a map would give equal
// records different bytes.
func (r *Record) details(dst []byte) []byte {
	if len(r.Details) == 0 {
		return dst
	}
	dst = append(dst, `,"details":{`...)
	for i, name := range slices.Sorted(maps.Keys(r.Details)) {
		if i == maxDetails {
			break
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonrpc.AppendString(dst, cut(name)), ':')
		dst = jsonrpc.AppendString(dst, cut(r.Details[name]))
	}
	return append(dst, '}')
}

// text appends a member unless it is empty.
func text(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return jsonrpc.AppendString(dst, cut(value))
}

// cut shortens a text to maxText bytes, never within a character, and marks the cut with an
// ellipsis.
func cut(s string) string {
	if len(s) <= maxText {
		return s
	}
	n := maxText - len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// recordJSON is a record as it stands in the trail, for reading. Writing does without it:
// [Record.body] appends the same members in their fixed order without reflection.
type recordJSON struct {
	Prev    string            `json:"prev"`
	Seq     uint64            `json:"seq"`
	Time    string            `json:"time"`
	Key     string            `json:"key"`
	Addr    string            `json:"addr"`
	Session string            `json:"session"`
	Method  string            `json:"method"`
	Target  string            `json:"target"`
	Outcome Outcome           `json:"outcome"`
	Code    int               `json:"code"`
	Reason  string            `json:"reason"`
	Micros  int64             `json:"us"`
	Details map[string]string `json:"details"`
}

// parseRecord reads the line of a record. A member that this version does not know is an
// error: what the line says would otherwise be shown in part, as if it were all. The Chain is
// left empty, for the line does not say it.
func parseRecord(line []byte) (Record, error) {
	var in recordJSON
	dec := json.NewDecoder(strings.NewReader(string(line)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return Record{}, fmt.Errorf("not a record: %w", err)
	}
	if dec.More() {
		return Record{}, errors.New("not a record: something follows it")
	}
	at, err := time.Parse(timeFormat, in.Time)
	if err != nil {
		return Record{}, fmt.Errorf("not a record: %w", err)
	}
	return Record{
		Seq: in.Seq, Time: at, Key: in.Key, Addr: in.Addr, Session: in.Session, Method: in.Method, Target: in.Target,
		Outcome: in.Outcome, Code: in.Code, Reason: in.Reason,
		Duration: time.Duration(in.Micros) * time.Microsecond, Details: in.Details,
	}, nil
}
