package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// Prometheus reads the metrics of a server that runs: every panel of the dashboard and every
// alert rule has something to show of it, and they show what happened there.
func TestDashboardOfAServer(t *testing.T) {
	t.Parallel() // it waits
	for _, needed := range []string{"prometheus", "promtool"} {
		if _, err := exec.LookPath(needed); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	metrics := valkeytest.FreeAddr(t)
	visitServer(t, metrics)
	p := startPrometheus(t, metrics)

	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	decodeFile(t, filepath.Join("..", "..", "docs", "grafana", "triptych.json"), &dashboard)
	if len(dashboard.Panels) < 15 {
		t.Fatalf("the dashboard has %d panels", len(dashboard.Panels))
	}
	fill := strings.NewReplacer("$__rate_interval", "10s", "$instance", ".*")
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			p.await(t, panel.Title, fill.Replace(target.Expr))
		}
	}
	for expr, want := range map[string]string{
		`triptych_ruleset_files_broken`:                              "1",
		`triptych_refusals_total{cause="missing_key"}`:               "1",
		`triptych_refusals_total{cause="malformed_key"}`:             "1",
		`triptych_debugger_sessions`:                                 "0",
		`triptych_budget_used{budget="tasks"}`:                       "0",
		`triptych_requests_total{tool="list_rulesets",outcome="ok"}`: "1",
		`count(triptych_certificate_expiry_seconds > time())`:        "1",
		`count(triptych_audit_io_seconds_count{step="write"})`:       "1",
		`count(ALERTS{alertname="TriptychRulesetFilesBroken"})`:      "1",
	} {
		if got := p.await(t, expr, expr); got != want {
			t.Errorf("%s is %s, want %s", expr, got, want)
		}
	}
	p.checkRules(t)
}

// visitServer starts a server that shows metrics at an address, with a broken ruleset, and sends
// it requests.
func visitServer(t *testing.T, metrics string) {
	t.Helper()
	a, told := app.New(), new(transcript)
	data := filepath.Join(t.TempDir(), "data")
	if err := os.MkdirAll(filepath.Join(data, "rulesets"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "rulesets", "broken.md"), []byte("# No front matter"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	a.Err, a.Out, a.Getenv = told, out, func(string) string { return "" }
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- a.Run(ctx, root(a), []string{"serve", "--data", data, "--listen", "127.0.0.1:0", "--metrics-listen", metrics})
	}()
	t.Cleanup(func() {
		cancel()
		if status := <-ended; status != 0 {
			t.Errorf("the server ended with %d:\n%s", status, told)
		}
		_ = out.Close() // nothing is written to it
	})
	var key, serving string
	poll(t, "the server does not serve", func() bool {
		text, err := os.ReadFile(filepath.Join(data, "keys", "first-key"))
		_, after, ok := strings.Cut(told.String(), "serving ")
		serving, _, _ = strings.Cut(after, "\n")
		key = strings.TrimSpace(string(text))
		return err == nil && ok && strings.HasPrefix(key, "kdb_") && serving != ""
	})
	for _, authorization := range []string{"", "Bearer nonsense"} {
		post(t, serving, authorization, "{}", http.StatusUnauthorized)
	}
	for _, tool := range []string{"list_rulesets", "no_such_tool"} {
		post(t, serving, "Bearer "+key, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":{}}}`, http.StatusOK)
	}
}

// poll waits until something is so.
func poll(t *testing.T, otherwise string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(otherwise)
		}
	}
}

// post sends a body, whose answer must have a status.
func post(t *testing.T, to, authorization, body string, status int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // of this test's own server
	}}
	defer client.CloseIdleConnections()
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil || answer.StatusCode != status {
		t.Fatalf("%s: %v\n%s", answer.Status, err, text)
	}
}

// decodeFile decodes a file of JSON.
func decodeFile(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// A prometheus is a server of Prometheus with the alert rules of the documents.
type prometheus struct{ url string }

// startPrometheus starts one that reads the metrics at an address every two seconds, which
// they may take to be read.
func startPrometheus(t *testing.T, metrics string) *prometheus {
	t.Helper()
	rules, err := filepath.Abs(filepath.Join("..", "..", "docs", "grafana", "alerts.yml"))
	if err != nil {
		t.Fatal(err)
	}
	dir, addr := t.TempDir(), valkeytest.FreeAddr(t)
	config := fmt.Sprintf("global: {scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 1s}\nrule_files: [%q]\n"+
		"scrape_configs:\n- {job_name: triptych, static_configs: [{targets: [%q]}]}\n", rules, metrics)
	file := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	log := new(transcript)
	cmd := exec.CommandContext(t.Context(), "prometheus", "--config.file", file, "--storage.tsdb.path", filepath.Join(dir, "data"),
		"--web.listen-address", addr, "--log.level", "warn")
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		if t.Failed() {
			t.Logf("Prometheus: %s", log)
		}
	})
	return &prometheus{"http://" + addr}
}

// get asks the API and returns the data of its answer, nil while it does not answer.
func (p *prometheus) get(t *testing.T, path string, into any) bool {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return false // it starts
	}
	text, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return false
	}
	if answer.StatusCode == http.StatusServiceUnavailable {
		return false // it starts
	}
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s\n%s", path, answer.Status, text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return true
}

// await waits until an expression has a value, and returns the first.
func (p *prometheus) await(t *testing.T, what, expr string) (value string) {
	t.Helper()
	poll(t, what+" shows nothing: "+expr, func() bool {
		var answer struct {
			Data struct {
				Result []struct{ Value [2]any }
			}
		}
		if !p.get(t, "/api/v1/query?query="+url.QueryEscape(expr), &answer) || len(answer.Data.Result) == 0 {
			return false
		}
		value, _ = answer.Data.Result[0].Value[1].(string)
		return true
	})
	return value
}

// checkRules reports rules that Prometheus cannot evaluate.
func (p *prometheus) checkRules(t *testing.T) {
	t.Helper()
	type rule struct{ Name, Health, LastError string }
	var rules []rule
	poll(t, "the alert rules are not evaluated", func() bool {
		var answer struct {
			Data struct{ Groups []struct{ Rules []rule } }
		}
		if !p.get(t, "/api/v1/rules", &answer) || len(answer.Data.Groups) == 0 {
			return false
		}
		rules = answer.Data.Groups[0].Rules
		return !slices.ContainsFunc(rules, func(r rule) bool { return r.Health == "unknown" })
	})
	for _, r := range rules {
		if r.Health != "ok" {
			t.Errorf("the rule %s: %s, %s", r.Name, r.Health, r.LastError)
		}
	}
}
