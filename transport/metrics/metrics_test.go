package metrics_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/metrics"
)

// TestLabels: what clients choose never becomes a label, so they cannot make
// the numbers grow without end, and keys are not shown.
func TestLabels(t *testing.T) {
	m := metrics.New("1.2.3")
	caller := host.Caller{Principal: host.Principal{ID: "key_secret"}}
	for _, e := range []host.Event{
		{Caller: caller, Method: "tools/call", Known: true, Family: "aoc", Target: "record_speed", Took: time.Millisecond},
		{Caller: caller, Method: "tools/call", Known: true, Family: "aoc", Target: "record_speed", Failed: true},
		{Caller: caller, Method: "tools/call", Known: true, Target: "invented_1", Code: -32602},
		{Caller: caller, Method: "tools/call", Known: true, Target: "invented_2", Code: -32602},
		{Caller: caller, Method: "invented_3", Code: -32601},
		{Caller: caller, Method: "invented_4", Code: -32602},
		{Caller: caller, Method: "resources/read", Known: true, Target: "aoc://day01"},
		{Caller: caller, Method: host.SessionEnd, Known: true},
		{Caller: caller, Method: host.TaskEnd, Known: true, Family: "aoc", Target: "record_speed"},
		{Caller: caller, Method: host.SessionEnd, Code: -32601}, // made up by a client
	} {
		m.Observe(&e)
	}
	m.Refused("unknown_key", -32001)
	m.AuditIO("sync", time.Millisecond)
	m.Stored(time.Millisecond, false)
	m.Stored(time.Second, true)
	used := int64(7)
	m.AddBudget("bodies", func() metrics.Budget { return metrics.Budget{Used: used, Limit: 100, Refused: 3} })
	m.AddBudget("answers", func() metrics.Budget { return metrics.Budget{Limit: 200} })
	used = 8
	rec := httptest.NewRecorder()
	m.Handler().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	got := rec.Body.String()
	for _, want := range []string{
		`triptych_requests_total{code="0",family="aoc",method="tools/call",outcome="ok",tool="record_speed"} 1`,
		`triptych_requests_total{code="0",family="aoc",method="tools/call",outcome="tool_error",tool="record_speed"} 1`,
		`triptych_requests_total{code="-32602",family="",method="tools/call",outcome="error",tool="unknown"} 2`,
		`triptych_requests_total{code="-32601",family="",method="unknown",outcome="error",tool=""} 2`,
		`triptych_request_duration_seconds_count{family="aoc",method="tools/call"} 2`,
		`triptych_requests_total{code="-32602",family="",method="unknown",outcome="error",tool=""} 1`,
		`triptych_refusals_total{cause="unknown_key",code="-32001"} 1`,
		`triptych_audit_io_seconds_count{step="sync"} 1`,
		`triptych_store_seconds_count 2`,
		`triptych_store_failures_total 1`,
		`triptych_budget_used{budget="bodies"} 8`,
		`triptych_budget_limit{budget="bodies"} 100`,
		`triptych_budget_limit{budget="answers"} 200`,
		`triptych_budget_refusals_total{budget="bodies"} 3`,
		`triptych_build_info{version="1.2.3"} 1`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing", want)
		}
	}
	for _, never := range []string{"invented", "key_secret", "day01", "/end"} {
		if strings.Contains(got, never) {
			t.Errorf("%s is shown", never)
		}
	}
}
