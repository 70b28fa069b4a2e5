package servecmd

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/recorder"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/https"
)

// metricsAtStart returns what Prometheus reads from a server before its first request.
func metricsAtStart(t *testing.T) string {
	t.Helper()
	s := everything(t)
	var err error
	if s.certificates, err = https.SelfSigned(t.TempDir(), nil, s.env.Logger); err != nil {
		t.Fatal(err)
	}
	s.showMetrics()
	answer := httptest.NewRecorder()
	s.services.recorder.Metrics().Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	return answer.Body.String()
}

// Every counter of requests and refusals is there before the first one: alerts with increase()
// do not see the first event of a counter that begins with it.
func TestCountersAreThereFromTheStart(t *testing.T) {
	text := metricsAtStart(t)
	want := []string{
		`triptych_requests_total{code="0",family="",method="ping",outcome="ok",tool=""} 0`,
		`triptych_requests_total{code="-32603",family="rulesets",method="tools/call",outcome="error",tool="create_ruleset"} 0`,
		`triptych_requests_total{code="0",family="debugger",method="tools/call",outcome="ok",tool="debugger/attach"} 0`,
		`triptych_request_duration_seconds_count{family="aoc",method="tools/call"} 0`,
		`triptych_audit_io_seconds_count{step="write"} 0`,
		`triptych_audit_io_seconds_count{step="sync"} 0`,
		`triptych_audit_failures_total 0`,
		`triptych_store_failures_total 0`,
		`triptych_http_requests_total{code="200",route="GET /readyz"} 0`,
		`triptych_budget_refusals_total{budget="sessions"} 0`,
		`triptych_disk_full 0`,
	}
	for cause, code := range bearer.Causes() {
		want = append(want, fmt.Sprintf(`triptych_refusals_total{cause=%q,code="%d"} 0`, cause, code))
	}
	for cause, codes := range recorder.Refusals() {
		for _, code := range codes {
			want = append(want, fmt.Sprintf(`triptych_refusals_total{cause=%q,code="%d"} 0`, cause, code))
		}
	}
	for _, line := range want {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("%s is missing", line)
		}
	}
}

// docs/operations.md lists all metrics that a server with everything shows, and no others. Each
// is there before the first request.
func TestMetricsAreDocumented(t *testing.T) {
	names := func(text, pattern string) (all []string) {
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			all = append(all, found[1])
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	doc, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(doc), "| metric | what it counts or measures |\n")
	if !found {
		t.Fatal("docs/operations.md has no table of metrics")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	documented, shown := names(table, "`(triptych_[a-z_]+)`"), names(metricsAtStart(t), "(?m)^# TYPE (triptych_[a-z_]+) ")
	if diff := cmp.Diff(documented, shown); diff != "" {
		t.Errorf("the metrics (-documented +shown):\n%s", diff)
	}
	for cause := range recorder.Refusals() {
		if !strings.Contains(table, "`"+cause+"`") {
			t.Errorf("the cause %s of refusals is not documented", cause)
		}
	}
}
