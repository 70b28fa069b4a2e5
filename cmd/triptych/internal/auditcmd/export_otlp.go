package auditcmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/telemetry/otlp"
)

// exportLogs limits the log records of a request: some 700 bytes each, of the 20 MiB that the
// collector of the OpenTelemetry project takes.
const exportLogs = 2_000

// A receiver is a destination that takes log records. It cannot be asked what it has, so that
// a file holds the positions, and records are sent again that were sent before a crash.
type receiver struct {
	stateFile
	logs *otlp.Logs
	from otlp.Source
}

// openReceiver returns the receiver at a URL. Nothing is sent yet.
func (a commands) openReceiver(url, state string) (*receiver, error) {
	to, err := otlp.LogsFromEnvironment(a.app.Getenv, url)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--to-otlp: %w", err)
	case to.URL == "":
		return nil, cmderr.UsageErrorf("--to-otlp: OTEL_SDK_DISABLED or OTEL_LOGS_EXPORTER turns the export of logs off")
	}
	if state == "" {
		env, err := a.app.Env(slog.LevelWarn)
		if err != nil {
			return nil, err
		}
		state = filepath.Join(env.Data, "audit", "exported-otlp.json")
	}
	if err := os.MkdirAll(filepath.Dir(state), 0o700); err != nil {
		return nil, err
	}
	version := buildinfo.Read().Version
	return &receiver{stateFile(state), otlp.NewLogs(to), otlp.Source{
		Resource: resource.NewSchemaless(attribute.String("service.name", "triptych"), attribute.String("service.version", version)),
		Scope:    instrumentation.Scope{Name: "triptych/audit", Version: version},
	}}, nil
}

// most implements destination.
func (d *receiver) most() int { return exportLogs }

// store implements destination. Records that the receiver rejects are lost to it: the protocol
// forbids to send them again.
func (d *receiver) store(ctx context.Context, s *segment) error {
	logs := make([]otlp.LogRecord, len(s.records))
	for i := range s.records {
		logs[i] = logOf(&s.records[i], s.lines[i])
	}
	err := d.logs.Export(ctx, d.from, logs)
	if rejected, ok := errors.AsType[*otlp.RejectedError](err); ok {
		return &partialError{s, rejected}
	}
	return err
}

// logOf returns the log record of a record: its line as the body, and attributes to search by.
func logOf(r *audit.Record, line []byte) otlp.LogRecord {
	severity := otlp.Info
	if r.Outcome != audit.OK {
		severity = otlp.Warn
	}
	attributes := []attribute.KeyValue{
		attribute.String("audit.chain", r.Chain),
		attribute.Int64("audit.seq", int64(r.Seq)), // a number of records
		attribute.String("audit.outcome", string(r.Outcome)),
	}
	for _, of := range [][2]string{
		{"audit.key", r.Key}, {"client.address", r.Addr}, {"session.id", r.Session},
		{"audit.method", r.Method}, {"audit.target", r.Target}, {"audit.reason", r.Reason},
	} {
		if of[1] != "" {
			attributes = append(attributes, attribute.String(of[0], of[1]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Details)) {
		attributes = append(attributes, attribute.String("audit.details."+name, r.Details[name]))
	}
	return otlp.LogRecord{
		Time: r.Time, Event: "audit", Severity: severity,
		Body: strings.TrimSuffix(string(line), "\n"), Attributes: attributes,
	}
}
