// Package metrics counts what a server does, for Prometheus.
//
//	triptych_requests_total{method,family,tool,outcome,code}   counter
//	triptych_request_duration_seconds{method,family}           histogram
//	triptych_requests_in_flight                                gauge
//	triptych_http_requests_total{route,code}                   counter
//	triptych_refusals_total{cause,code}                        counter
//	triptych_audit_commit_seconds                              histogram
//	triptych_audit_failures_total                              counter
//	triptych_audit_io_seconds{step}                            histogram
//	triptych_store_seconds                                     histogram
//	triptych_store_failures_total                              counter
//	triptych_budget_used{budget}                               gauge
//	triptych_budget_limit{budget}                              gauge
//	triptych_budget_refusals_total{budget}                     counter
//
// Keys, addresses and arguments are never labels, and neither is anything that
// a client can choose: methods and tools that do not exist share one label.
//
// # Concurrency
//
// Metrics may be used by any number of goroutines; it has none of its own.
package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// Metrics are the numbers of one server.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	inFlight prometheus.Gauge
	served   *prometheus.CounterVec
	refusals *prometheus.CounterVec
	commits  prometheus.Histogram
	failures prometheus.Counter
	auditIO  *prometheus.HistogramVec
	stored   prometheus.Histogram
	unstored prometheus.Counter
}

// buckets go from what a cached list takes to what a time-out cuts off, in
// seconds.
var buckets = []float64{.00005, .0002, .001, .005, .02, .1, .5, 2, 10, 60}

// New returns metrics in a registry of their own, with those of the Go runtime
// and the process.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "triptych_requests_total", Help: "Requests answered.",
		}, []string{"method", "family", "tool", "outcome", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "triptych_request_duration_seconds", Help: "Time from a request to its answer.", Buckets: buckets,
		}, []string{"method", "family"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "triptych_requests_in_flight", Help: "HTTP requests being answered, streams included.",
		}),
		served: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "triptych_http_requests_total", Help: "HTTP requests answered, but those of the MCP endpoint.",
		}, []string{"route", "code"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "triptych_refusals_total", Help: "Requests refused before they were served.",
		}, []string{"cause", "code"}),
		commits: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "triptych_audit_commit_seconds", Help: "Time that an answer waits until its audit record is stored.", Buckets: buckets,
		}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "triptych_audit_failures_total", Help: "Answers withheld because the audit trail could not be written.",
		}),
		auditIO: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "triptych_audit_io_seconds", Help: "Time that a write of the audit trail, or its sync, takes.", Buckets: buckets,
		}, []string{"step"}),
		stored: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "triptych_store_seconds", Help: "Time from a request to the store to its answer.", Buckets: buckets,
		}),
		unstored: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "triptych_store_failures_total", Help: "Requests to the store that failed.",
		}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "triptych_build_info", Help: "The version, as a label.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(m.requests, m.seconds, m.inFlight, m.served, m.refusals, m.commits, m.failures, m.auditIO, m.stored, m.unstored, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Committed counts a wait for the audit trail.
func (m *Metrics) Committed(took time.Duration, err error) {
	m.commits.Observe(took.Seconds())
	if err != nil {
		m.failures.Inc()
	}
}

// AuditIO counts a write or a sync of the audit trail, as step says.
func (m *Metrics) AuditIO(step string, took time.Duration) {
	m.auditIO.WithLabelValues(step).Observe(took.Seconds())
}

// Stored counts a request to the store.
func (m *Metrics) Stored(took time.Duration, failed bool) {
	m.stored.Observe(took.Seconds())
	if failed {
		m.unstored.Inc()
	}
}

// AddGauge shows a number that is read with the metrics. It is called before
// [Metrics.Handler], once for each name.
func (m *Metrics) AddGauge(name, help string, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

// A Budget holds the use and the limit of something bounded, and how often there
// was none left.
type Budget struct{ Used, Limit, Refused int64 }

// AddBudget shows a budget. It is called before [Metrics.Handler], once for each
// name.
func (m *Metrics) AddBudget(name string, usage func() Budget) {
	labels := prometheus.Labels{"budget": name}
	m.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "triptych_budget_used", Help: "What clients make the server hold: bytes, or how many.", ConstLabels: labels,
		}, func() float64 { return float64(usage().Used) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "triptych_budget_limit", Help: "How much of it the server holds at most.", ConstLabels: labels,
		}, func() float64 { return float64(usage().Limit) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "triptych_budget_refusals_total", Help: "How often there was no more of it.", ConstLabels: labels,
		}, func() float64 { return float64(usage().Refused) }),
	)
}

// nobodys is the label of what does not exist.
const nobodys = "unknown"

// Observe counts one request; other events are none.
func (m *Metrics) Observe(e *host.Event) {
	if !e.IsRequest() {
		return
	}
	method, tool := e.Method, ""
	if !e.Known {
		method = nobodys
	}
	switch {
	case e.Family != "":
		tool = e.Target
	case e.Method == "tools/call":
		tool = nobodys
	}
	m.requests.WithLabelValues(method, e.Family, tool, outcome(e), strconv.Itoa(int(e.Code))).Inc()
	m.seconds.WithLabelValues(method, e.Family).Observe(e.Took.Seconds())
}

// outcome returns the value of the label `outcome` of a request.
func outcome(e *host.Event) string {
	switch {
	case e.Code != 0:
		return "error"
	case e.Failed:
		return "tool_error"
	}
	return "ok"
}

// Refused counts a request that was refused before it was served. The cause is one of a few.
func (m *Metrics) Refused(cause string, code jsonrpc.Code) {
	m.refusals.WithLabelValues(cause, strconv.Itoa(int(code))).Inc()
}

// AddRefusal shows a counter of refusals from the start: a rate cannot see the first one of a
// counter that is not there before.
func (m *Metrics) AddRefusal(cause string, code jsonrpc.Code) {
	m.refusals.WithLabelValues(cause, strconv.Itoa(int(code)))
}

// AddRequest shows the counters of a kind of request from the start: of good answers, and of
// errors of the server, which alerts watch.
func (m *Metrics) AddRequest(method, family, tool string) {
	m.requests.WithLabelValues(method, family, tool, "ok", "0")
	m.requests.WithLabelValues(method, family, tool, "error", strconv.Itoa(int(jsonrpc.CodeInternalError)))
	m.seconds.WithLabelValues(method, family)
}

// AddAuditIO shows the histogram of a step of the audit trail from the start.
func (m *Metrics) AddAuditIO(step string) { m.auditIO.WithLabelValues(step) }

// Around counts the requests that a handler is answering.
func (m *Metrics) Around(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.inFlight.Inc()
		defer m.inFlight.Dec()
		h.ServeHTTP(w, r)
	})
}

// AddRoute shows a route of the listener before its first request.
func (m *Metrics) AddRoute(route string) { m.served.WithLabelValues(route, "200") }

// Served counts a request to a route of the listener. The route is the row of a table, never
// what a client has sent.
func (m *Metrics) Served(route string, status int, _ time.Duration) {
	if m != nil {
		m.served.WithLabelValues(route, strconv.Itoa(status)).Inc()
	}
}

// Gatherer returns the numbers for other systems than Prometheus.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }

// Handler shows the numbers.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
