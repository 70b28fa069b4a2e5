package servecmd

import (
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/metrics"
)

var metricName = regexp.MustCompile(`\b(triptych|process|go)_[a-z_]+\b`)

// Every metric that the dashboard and the alerts ask for is one that a server shows.
func TestDashboardsAskForMetrics(t *testing.T) {
	m := metrics.New("1")
	m.Observe(&mcp.Event{Method: "tools/call", Known: true, Family: "rulesets", Target: "get_ruleset", Started: time.Now()})
	m.Refused(mcp.CodeAuthentication)
	m.AddBudget("sessions", func() metrics.Budget { return metrics.Budget{} })
	certificates, err := https.SelfSigned(t.TempDir(), nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	showExpiry(m, certificates)
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	shown := answer.Body.String()
	for _, name := range []string{"triptych.json", "alerts.yml"} {
		text, err := os.ReadFile(filepath.Join("../../../../docs", "grafana", name))
		if err != nil {
			t.Fatal(err)
		}
		names := metricName.FindAllString(string(text), -1)
		if len(names) < 5 {
			t.Errorf("%s asks for %v only", name, names)
		}
		for _, one := range names {
			if !strings.Contains(shown, "\n"+one+"{") && !strings.Contains(shown, "\n"+one+" ") {
				t.Errorf("%s asks for %s, which no server shows", name, one)
			}
		}
	}
	if expires := certificates.Expires().Unix(); !strings.Contains(shown, "triptych_certificate_expiry_seconds ") || expires < time.Now().Unix() {
		t.Errorf("the certificate expires at %d", expires)
	}
}

// Prometheus takes the alert rules, and they fire when they should.
func TestAlertRules(t *testing.T) {
	program, err := exec.LookPath("promtool")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	for _, args := range [][]string{{"check", "rules", "alerts.yml"}, {"test", "rules", "alerts_test.yml"}} {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = filepath.Join("../../../../docs", "grafana")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
	text, err := os.ReadFile(filepath.Join("../../../../docs", "grafana", "triptych.json"))
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct{ Title string }
	}
	if err := json.Unmarshal(text, &dashboard); err != nil || len(dashboard.Panels) < 8 {
		t.Errorf("the dashboard has %d panels: %v", len(dashboard.Panels), err)
	}
}
