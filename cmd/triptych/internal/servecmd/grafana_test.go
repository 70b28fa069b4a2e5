package servecmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

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
}
