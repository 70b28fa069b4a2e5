package otlp

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// A Target is the address to which one signal is exported, and how. It may have secrets, in
// its URL and its headers: no error and no log has them.
type Target struct {
	URL     string // whole, with the path; "" exports nothing
	Headers map[string]string
	Timeout time.Duration // of an export with its retries
	Gzip    bool
	TLS     *tls.Config // nil is that of the system
}

// Targets holds the targets of spans and metrics.
type Targets struct{ Traces, Metrics Target }

// On reports whether any signal is exported.
func (t Targets) On() bool { return t.Traces.URL != "" || t.Metrics.URL != "" }

// defaultTimeout is that of the specification.
const defaultTimeout = 10 * time.Second

// FromEnvironment reads the variables OTEL_EXPORTER_OTLP_* and those of each signal, as the
// OpenTelemetry specification defines them (OTLP exporter configuration): the variable of a
// signal comes before the common one. base replaces OTEL_EXPORTER_OTLP_ENDPOINT if it is not
// empty. Nothing is exported unless an endpoint is named, if OTEL_SDK_DISABLED is true, and
// for signals whose OTEL_TRACES_EXPORTER or OTEL_METRICS_EXPORTER is none. A value that this
// package cannot serve, such as the protocol grpc, is an error that names the variable.
func FromEnvironment(getenv func(string) string, base string) (Targets, error) {
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return Targets{}, nil
	}
	traces, err := target(getenv, base, "TRACES")
	if err != nil {
		return Targets{}, err
	}
	metrics, err := target(getenv, base, "METRICS")
	return Targets{traces, metrics}, err
}

// LogsFromEnvironment reads the variables of logs, as [FromEnvironment] does those of traces
// and metrics. The target has no URL if the variables turn the export of logs off, or nothing
// names an endpoint. It is apart, since an operator asks for logs with a setting of its own.
func LogsFromEnvironment(getenv func(string) string, base string) (Target, error) {
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return Target{}, nil
	}
	return target(getenv, base, "LOGS")
}

// target reads the variables of one signal, whose name is in capitals. It has no URL if the
// signal is not exported.
func target(getenv func(string) string, base, signal string) (t Target, err error) {
	variable := func(name string) string {
		return cmp.Or(getenv("OTEL_EXPORTER_OTLP_"+signal+"_"+name), getenv("OTEL_EXPORTER_OTLP_"+name))
	}
	where, err := endpoint(getenv, base, signal)
	if err != nil || where == "" {
		return t, err
	}
	switch exporter := getenv("OTEL_" + signal + "_EXPORTER"); exporter {
	case "", "otlp":
	case "none":
		return t, nil
	default:
		return t, fmt.Errorf("OTEL_%s_EXPORTER is %q, want otlp or none", signal, exporter)
	}
	if protocol := variable("PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return t, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q, want http/protobuf", protocol)
	}
	switch compression := variable("COMPRESSION"); compression {
	case "", "none":
	case "gzip":
		t.Gzip = true
	default:
		return t, fmt.Errorf("OTEL_EXPORTER_OTLP_COMPRESSION is %q, want gzip or none", compression)
	}
	if t.Headers, err = headers(variable("HEADERS")); err != nil {
		return t, err
	}
	t.Timeout = defaultTimeout
	if text := variable("TIMEOUT"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			return t, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT is %q, want milliseconds", text)
		}
		t.Timeout = time.Duration(n) * time.Millisecond
	}
	t.URL = where
	t.TLS, err = tlsConfig(variable("CERTIFICATE"), variable("CLIENT_CERTIFICATE"), variable("CLIENT_KEY"))
	return t, err
}

// endpoint returns the URL of a signal: its own variable as it is, or the common one with the
// path of the signal (v1/traces and so on), "" without either.
func endpoint(getenv func(string) string, base, signal string) (string, error) {
	own := getenv("OTEL_EXPORTER_OTLP_" + signal + "_ENDPOINT")
	where := cmp.Or(own, base, getenv("OTEL_EXPORTER_OTLP_ENDPOINT"))
	if where == "" {
		return "", nil
	}
	u, err := url.Parse(where)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", errors.New("the OTLP endpoint is not the URL of an OTLP receiver, such as http://localhost:4318") // it may have a password
	}
	if own == "" {
		u = u.JoinPath("v1", strings.ToLower(signal))
	}
	return u.String(), nil
}

// headers parses name=value pairs, separated by commas, whose values are percent-encoded, as
// in W3C Baggage.
func headers(text string) (map[string]string, error) {
	all := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil {
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs, separated by commas") // its values are secrets
		}
		all[name] = decoded
	}
	return all, nil
}

// tlsConfig returns the TLS settings of PEM files: of authorities, and of the client. It
// is nil without any.
func tlsConfig(authorities, certificate, key string) (*tls.Config, error) {
	if authorities == "" && certificate == "" && key == "" {
		return nil, nil
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if authorities != "" {
		text, err := os.ReadFile(authorities)
		if err != nil {
			return nil, err
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s has no certificates", authorities)
		}
	}
	if certificate == "" && key == "" {
		return cfg, nil
	}
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, err
	}
	cfg.Certificates = []tls.Certificate{pair}
	return cfg, nil
}
