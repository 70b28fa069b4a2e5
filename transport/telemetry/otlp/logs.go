package otlp

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	"google.golang.org/protobuf/encoding/protowire"
)

// A Severity is the severity number of a log record: 1 to 24, more is worse.
type Severity uint64

// The severities that are used, with the numbers of the protocol.
const (
	Info Severity = 9
	Warn Severity = 13
)

// A LogRecord is a log record, for which the SDK has no stable type.
type LogRecord struct {
	Time       time.Time
	Event      string // the name of the kind of record
	Severity   Severity
	Body       string
	Attributes []attribute.KeyValue
}

// A Source is the origin of log records: the program that has made them, and the part of it.
type Source struct {
	Resource *resource.Resource
	Scope    instrumentation.Scope
}

// A RejectedError reports that the receiver has taken a request and rejected some of its
// records (partial success). The protocol forbids to send them again, so a caller logs it and
// goes on.
type RejectedError struct {
	Records int64
	Reason  string // as the receiver says
}

// Error says how many records were rejected.
func (e *RejectedError) Error() string {
	return fmt.Sprintf("the OTLP receiver has rejected %d log records: %s", e.Records, e.Reason)
}

// Logs exports log records. It may be used by several goroutines.
type Logs struct{ *client }

// NewLogs returns an exporter of log records to a target, such as [LogsFromEnvironment]
// returns. Nothing is sent yet.
func NewLogs(to Target) *Logs { return &Logs{newClient(to)} }

// Export sends log records in one request, and waits for the answer at most as long as the
// target allows. An error that wraps a [*RejectedError] says that the request was taken, any
// other that it was not, as far as is known: a caller that must not lose records sends them
// again, and receivers may get some twice.
func (x *Logs) Export(ctx context.Context, from Source, records []LogRecord) error {
	if len(records) == 0 {
		return nil
	}
	answer, err := x.post(ctx, logsData(from, records))
	if err != nil {
		return err
	}
	return rejectedIn(answer)
}

// Close closes idle connections. No Export may run or follow.
func (x *Logs) Close() { x.close() }

// logsData encodes an ExportLogsServiceRequest (collector/logs/v1/logs_service.proto).
//
//	ExportLogsServiceRequest  resource_logs 1
//	ResourceLogs              resource 1, scope_logs 2, schema_url 3
//	ScopeLogs                 scope 1, log_records 2, schema_url 3
func logsData(from Source, records []LogRecord) (m message) {
	var scoped, resourced message
	scoped.bytes(1, scopeOf(from.Scope))
	for i := range records {
		scoped.bytes(2, logOf(&records[i]))
	}
	scoped.text(3, from.Scope.SchemaURL)
	resourced.bytes(1, resourceOf(from.Resource))
	resourced.bytes(2, scoped)
	resourced.text(3, from.Resource.SchemaURL())
	m.bytes(1, resourced)
	return m
}

// logOf encodes a LogRecord (logs/v1/logs.proto). The id of a trace is left out.
//
//	time_unix_nano 1, severity_number 2, body 5 (an AnyValue), attributes 6,
//	observed_time_unix_nano 11, event_name 12
func logOf(r *LogRecord) (m message) {
	m.time(1, r.Time)
	m.varint(2, uint64(r.Severity))
	m.bytes(5, anyValue(attribute.StringValue(r.Body)))
	m.attributes(6, r.Attributes)
	m.time(11, r.Time) // the time at which it was observed is required
	m.text(12, r.Event)
	return m
}

// rejectedIn returns the error of an ExportLogsServiceResponse whose partial_success (1) has
// rejected_log_records (1), with the error_message (2). An answer that is no such message has
// rejected nothing: the status counts.
func rejectedIn(answer []byte) error {
	partial, _ := fieldOf(answer, 1)
	_, rejected := fieldOf(partial, 1)
	if rejected == 0 {
		return nil
	}
	reason, _ := fieldOf(partial, 2)
	return &RejectedError{Records: int64(rejected), Reason: string(reason)} // two's complement is the encoding
}

// fieldOf returns the last value of a field of a message, as bytes or as a number. Both are
// zero if the message does not have it.
func fieldOf(m []byte, field protowire.Number) (value []byte, number uint64) {
	for len(m) > 0 {
		num, kind, n := protowire.ConsumeTag(m)
		if n < 0 {
			return nil, 0
		}
		m = m[n:]
		if n = protowire.ConsumeFieldValue(num, kind, m); n < 0 {
			return nil, 0
		}
		switch {
		case num == field && kind == protowire.BytesType:
			value, _ = protowire.ConsumeBytes(m)
		case num == field && kind == protowire.VarintType:
			number, _ = protowire.ConsumeVarint(m)
		}
		m = m[n:]
	}
	return value, number
}
