//go:build unix

package scale_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// Servers that share a store agree about who is behind: the tool and the metrics of both,
// and the command that reads the store. What one of them had recorded in its data folder
// before is among it.
func TestServersAgreeOnConsumers(t *testing.T) {
	t.Parallel()
	store := startNode(t)
	var servers [2]*server
	var metrics [2]string
	for i := range servers {
		metrics[i] = valkeytest.FreeAddr(t)
		s := &server{data: t.TempDir(), store: store.url(), addr: valkeytest.FreeAddr(t), flags: []string{"--consumers", "--metrics-listen", metrics[i]}}
		if i == 0 {
			old := `[{"project":"old","client":"kiro","key":"k","seen":"2026-01-02T03:04:05Z","rulesets":{"style":1}}]`
			if err := os.WriteFile(filepath.Join(s.data, "consumers.json"), []byte(old), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s.launch(t)
		t.Cleanup(s.kill)
		s.await(t)
		servers[i] = s
	}
	c := newCaller(newKey(t, store.url(), "--plan", "enterprise", "--month", "0", "--minute", "1000000"))
	call := func(at int, tool string, arguments map[string]any) {
		t.Helper()
		if err := c.call(t.Context(), servers[at].url(), tool, arguments); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.create(t.Context(), servers[0].url(), "style"); err != nil {
		t.Fatal(err)
	}
	call(0, "label_ruleset", map[string]any{"name": "style", "label": "production"})
	for i, project := range []string{"shop", "bank"} { // each at a server of its own
		call(i, "report_rulesets", map[string]any{"project": project, "clients": []string{"cursor"}, "rulesets": []string{"style@1"}})
	}
	call(1, "report_rulesets", map[string]any{"project": "site", "clients": []string{"cursor"}, "rulesets": []string{"style@1"}, "label": "production"})
	call(1, "get_ruleset", map[string]any{"name": "style"})
	call(0, "update_ruleset", map[string]any{"name": "style", "markdown": "new"})
	call(0, "report_rulesets", map[string]any{"project": "bank", "clients": []string{"cursor"}, "rulesets": []string{"style@2"}})

	want := map[string]string{"shop cursor": "1/2", "bank cursor": "2/2", "site cursor production": "1/1", " unknown": "1/2", "old kiro": "1/2"}
	for i, s := range servers {
		if diff := cmp.Diff(want, standings(t, store, "--url", s.url(), "--key", c.token)); diff != "" {
			t.Errorf("server %d, -want +got:\n%s", i, diff)
		}
		until(t, patience, "the metrics agree", func() error {
			time.Sleep(100 * time.Millisecond) // they are at most a second old
			consumers, behind := gauge(t, metrics[i], "triptych_ruleset_consumers"), gauge(t, metrics[i], "triptych_ruleset_consumers_behind")
			if consumers != "5" || behind != "3" {
				return fmt.Errorf("server %d: %s consumers, %s behind", i, consumers, behind)
			}
			return nil
		})
	}
	if diff := cmp.Diff(want, standings(t, store)); diff != "" {
		t.Errorf("the store, -want +got:\n%s", diff)
	}
}

// standings returns what the command prints with the store, or with flags that name a
// server: of each project and client the revision of its ruleset and the newest one.
func standings(t *testing.T, store *node, flags ...string) map[string]string {
	t.Helper()
	out, told, err := run(t, t.TempDir(), store.url(), append([]string{"rulesets", "consumers", "--json"}, flags...)...)
	if err != nil {
		t.Fatalf("%v: %s", err, told)
	}
	var all []struct {
		Project, Client, Label string
		Rev, Newest            int
	}
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	found := map[string]string{}
	for _, s := range all {
		found[strings.TrimRight(s.Project+" "+s.Client+" "+s.Label, " ")] = fmt.Sprintf("%d/%d", s.Rev, s.Newest)
	}
	return found
}

// gauge returns a number of the metrics of a server.
func gauge(t *testing.T, addr, name string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+"/metrics", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`(?m)^` + name + ` (.*)$`).FindSubmatch(text); found != nil {
		return string(found[1])
	}
	return "no such number"
}
