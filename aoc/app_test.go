package aoc

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/aoc/race"
)

// hostPage is a page that does what a host with MCP Apps does: it shows the page in a
// frame, answers its handshake, sends it a result, and prints what it then shows.
const hostPage = `<!DOCTYPE html><meta charset="utf-8"><iframe id="app" srcdoc="%s"></iframe><pre id="log"></pre><script>
const app = document.getElementById("app"), log = document.getElementById("log");
addEventListener("message", event => {
  const m = event.data;
  log.textContent += m.method + "\n";
  if (m.method === "ui/initialize") app.contentWindow.postMessage({ jsonrpc: "2.0", id: m.id, result: {} }, "*");
  if (m.method === "ui/notifications/initialized")
    app.contentWindow.postMessage({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { structuredContent: %s } }, "*");
  if (m.method === "ui/notifications/size-changed") log.textContent += app.contentDocument.body.innerText;
});
</script>`

// The page of the race shows a result in a real browser, and takes no text for HTML.
func TestRacePageInBrowser(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("chromium is not installed")
		}
		t.Skip("chromium is missing (Debian: chromium)")
	}
	day := race.Puzzle{Year: 2025, Day: 1, Part: 1}
	result, err := json.Marshal(race.New(race.Solve, []race.Run{
		{Puzzle: day, Kind: race.Solve, Model: "opus", MS: 1500}, {Puzzle: day, Kind: race.Solve, Model: "<b>gpt4</b>", MS: 65_000},
		{Puzzle: day, Kind: race.Solve, Model: "late", Correct: new(false)},
	}))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	page := filepath.Join(dir, "host.html")
	if err := os.WriteFile(page, fmt.Appendf(nil, hostPage, html.EscapeString(racePage), result), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+filepath.Join(dir, "profile"),
		"--virtual-time-budget=5000", "--dump-dom", "file://"+page)
	cmd.Cancel = func() error { return cmd.Process.Kill() }
	cmd.WaitDelay = 10 * time.Second
	shown, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	text := html.UnescapeString(string(shown[strings.LastIndex(string(shown), `<pre id="log">`):]))
	for _, want := range []string{
		"ui/initialize\nui/notifications/initialized\n", "1\topus\t2\t1\t0\t0\t1\t1.5 s", "2\t<b>gpt4</b>\t1\t0\t1\t0\t1\t1m05s",
		"2025 day 1 part 1", "not solved",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not show %q:\n%s", want, text)
		}
	}
}
