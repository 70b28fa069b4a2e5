package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// taskClaim is the _meta of a client that knows tasks.
const taskClaim = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`

// A taskAnswer has the members that tell of a task.
type taskAnswer struct {
	Result struct {
		Type   string `json:"resultType"`
		ID     string `json:"taskId"`
		Status string
		Result json.RawMessage
	}
}

// A program that runs for a while is waited for by a task: the client has its
// answer after a second, and comes back for where the program stopped.
func TestContinueAsATask(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("nothing is debugged here")
	}
	pipe := filepath.Join(t.TempDir(), "pipe") // cat waits for its other end
	if err := exec.CommandContext(t.Context(), "mkfifo", pipe).Run(); err != nil {
		t.Fatal(err)
	}
	p := startStdio(t, t.TempDir(), "--families=debugger")
	call := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":%q,"params":{%s,%s}}`, method, method, params, taskClaim)
	}
	if got := roundTrip(t, p, call("tools/call", `"name":"debugger/launch","arguments":{"path":"cat","args":["`+pipe+`"],"stop_at_entry":true}`)); strings.Contains(got, "isError") {
		t.Skipf("the system lets nothing be debugged: %s", got)
	}
	began := time.Now()
	var task taskAnswer
	decode(t, roundTrip(t, p, call("tools/call", `"name":"debugger/continue","arguments":{"wait_ms":60000}`)), &task)
	if took := time.Since(began); task.Result.Type != "task" || task.Result.Status != "working" || took < time.Second {
		t.Fatalf("got %+v after %v, want a task", task.Result, took)
	}
	if err := os.WriteFile(pipe, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	now := task
	for now.Result.Status == "working" && time.Since(began) < patience {
		time.Sleep(50 * time.Millisecond)
		decode(t, roundTrip(t, p, call("tasks/get", `"taskId":"`+task.Result.ID+`"`)), &now)
	}
	for _, want := range []string{`"text":"Process exited with status 0"`, `"structuredContent":{`, `"resultType":"complete"`} {
		if now.Result.Status != "completed" || !strings.Contains(string(now.Result.Result), want) {
			t.Errorf("status %s, result %s; want %s in it", now.Result.Status, now.Result.Result, want)
		}
	}
	closeTransport(t, p)
}

func decode(t *testing.T, line string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), into); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
}
