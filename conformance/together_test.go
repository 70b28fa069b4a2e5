package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// sideBySide starts processes on one data folder and asks each of them all
// lines, all at once. It returns what each said.
func sideBySide(t *testing.T, data string, processes int, line func(process, i int) string, lines int) [][]string {
	t.Helper()
	said := make([][]string, processes)
	var wg sync.WaitGroup
	for n := range processes {
		p := startStdio(t, data, "--families=rulesets,aoc")
		wg.Go(func() {
			for i := range lines {
				got, err := exchange(p, line(n, i))
				if err != nil {
					t.Error(err)
					return
				}
				said[n] = append(said[n], got)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	return said
}

// exchange is like roundTrip, for use outside the test goroutine.
func exchange(r mcptest.Transport, line string) (string, error) {
	if err := r.Send(line); err != nil {
		return "", err
	}
	return r.Receive()
}

// Of concurrent creates of one name by several processes, exactly one wins.
func TestOneProcessCreates(t *testing.T) {
	const processes, names = 3, 20
	said := sideBySide(t, t.TempDir(), processes, func(_, i int) string {
		return callLine(i, "create_ruleset", fmt.Sprintf(`{"name":"r%d","description":"d","markdown":"m"}`, i))
	}, names)
	for i := range names {
		won, told := 0, 0
		for n := range processes {
			switch {
			case len(said[n]) <= i: // has failed already
			case said[n][i] == textResultLine(i, fmt.Sprintf("Successfully created ruleset 'r%d'", i)):
				won++
			case strings.Contains(said[n][i], fmt.Sprintf("failed to create ruleset: ruleset 'r%d' already exists. Please", i)):
				told++
			default:
				t.Errorf("got %s", said[n][i])
			}
		}
		if won != 1 || told != processes-1 {
			t.Errorf("r%d: %d created and %d refused, want 1 and %d", i, won, told, processes-1)
		}
	}
}

// Processes that record at once lose nothing.
func TestProcessesRecordTogether(t *testing.T) {
	data := t.TempDir()
	const processes, records = 3, 15
	sideBySide(t, data, processes, func(n, i int) string {
		return callLine(i, "record_speed", fmt.Sprintf(`{"day":1,"phase":1,"llm_name":"p%d","speed_ms":%d}`, n, i))
	}, records)
	raw, err := os.ReadFile(filepath.Join(data, "aoc", "speeds", "day01.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Day     int `json:"day"`
		Entries []struct {
			LLM     string `json:"llm"`
			SpeedMS int    `json:"speedMs"`
		} `json:"entries"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	next := map[string]int{} // newest first, so each process counts down
	for _, e := range file.Entries {
		if before, ok := next[e.LLM]; ok && e.SpeedMS >= before {
			t.Errorf("%s: %d after %d, want newest first", e.LLM, e.SpeedMS, before)
		}
		next[e.LLM] = e.SpeedMS
		seen[fmt.Sprint(e.LLM, e.SpeedMS)] = true
	}
	if file.Day != 1 || len(seen) != processes*records || len(file.Entries) != processes*records {
		t.Errorf("day %d has %d entries, %d of them different; want day 1 with %d", file.Day, len(file.Entries), len(seen), processes*records)
	}
}

// Who subscribed hears of what another process did.
func TestChangesOfOtherProcessesAreTold(t *testing.T) {
	data := t.TempDir()
	a, b := startStdio(t, data, "--families=rulesets"), startStdio(t, data, "--families=rulesets")
	const name = `"name":"x"`
	create := callLine(1, "create_ruleset", `{`+name+`,"description":"d","markdown":"m"}`)
	if got, want := roundTrip(t, b, create), textResultLine(1, "Successfully created ruleset 'x'"); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	listening := roundTrip(t, a, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["ruleset://x"]},`+modernMeta+`}}`)
	if !strings.Contains(listening, "notifications/subscriptions/acknowledged") {
		t.Errorf("got %s", listening)
	}
	roundTrip(t, b, callLine(2, "update_ruleset", `{`+name+`,"markdown":"n"}`))
	const want = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"ruleset://x","_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`
	if got := receive(t, a); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	got := roundTrip(t, a, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+"\n"+callLine(2, "get_ruleset", `{`+name+`}`))
	for got == want { // the creation may have been seen late
		got = receive(t, a)
	}
	if !strings.HasSuffix(got, `\n---\n\nn"}]}}`) {
		t.Errorf("got %s, want the new text", got)
	}
	closeTransport(t, a)
	closeTransport(t, b)
}
