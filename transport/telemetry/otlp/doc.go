// Package otlp exports spans and metrics of the OpenTelemetry SDK, and log records, over
// OTLP/HTTP with binary protobuf bodies (OTLP 1.9).
//
//	where, err := otlp.FromEnvironment(os.Getenv, "")
//	spans, err := otlp.NewSpans(where.Traces)     // an sdktrace.SpanExporter
//	numbers, err := otlp.NewMetrics(where.Metrics) // an sdkmetric.Exporter
//
//	where, err := otlp.LogsFromEnvironment(os.Getenv, "http://localhost:4318")
//	err = otlp.NewLogs(where).Export(ctx, about, records)
//
// The exporters of the OpenTelemetry project link gRPC and the reflection of protobuf,
// whose package initialization is a tenth of the start time of this program, whether
// anything is exported or not. This package encodes the messages with protowire and does
// nothing before it is called. Its tests decode them with the project's own types.
//
// # Concurrency
//
// The SDK does not call an exporter from two goroutines at one time. An exporter has no
// goroutines. [Logs] may be used by several.
package otlp
