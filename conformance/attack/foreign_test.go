package attack_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// foreignCursor uses a cursor that was given to another key, and made-up ones.
func foreignCursor(t *testing.T, s *server, token string) {
	_, other := key(t, s.data)
	anna, eve := s.client(t, token, "", true), s.client(t, other, "", true)
	folder := filepath.Join(s.data, "rulesets")
	for i := range 600 { // a page has 500
		path := filepath.Join(folder, fmt.Sprintf("page_%03d.md", i))
		if err := os.WriteFile(path, []byte("---\ndescription: one of many\n---\n\ntext\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.Remove(path) }() // the folder goes with the test
	}
	ask := func(c *client, cursor string) *reply {
		return c.post(t, line("resources/list", fmt.Sprintf(`{"cursor":%q}`, cursor)))
	}
	var page struct{ NextCursor string }
	first := anna.post(t, line("resources/list", `{}`))
	if err := json.Unmarshal(first.Result, &page); err != nil || page.NextCursor == "" {
		t.Fatalf("no cursor in %.200s: %v", first.text, err)
	}
	ask(anna, page.NextCursor).is(t, "one's own cursor", 200, 0)
	ask(eve, page.NextCursor).is(t, "the cursor of another key", 200, -32602)
	for _, forged := range []string{"x", "AAAA", page.NextCursor + "AA", page.NextCursor[:len(page.NextCursor)-2], "../../etc/passwd"} {
		ask(anna, forged).is(t, "the cursor "+forged, 200, -32602)
	}
	anna.post(t, line("tools/list", fmt.Sprintf(`{"cursor":%q}`, page.NextCursor))).is(t, "the cursor of another list", 200, -32602)
}

// withTasks is the _meta of a client that knows tasks.
const withTasks = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`

// modernly posts a request of the newest revision.
func (c *client) modernly(t *testing.T, method, name, params string) *reply {
	t.Helper()
	return c.post(t, line(method, `{`+params+`,`+withTasks+`}`),
		"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name", name)
}

// foreignWork asks for the task and the debug session of another key.
func foreignWork(t *testing.T, s *server, token string) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("nothing is debugged here")
	}
	_, other := key(t, s.data)
	anna, eve := s.client(t, token, "", true), s.client(t, other, "", true)
	call := func(c *client, tool, arguments string) *reply {
		return c.modernly(t, "tools/call", tool, fmt.Sprintf(`"name":%q,"arguments":%s`, tool, arguments))
	}
	var begun struct {
		StructuredContent struct{ State struct{ Session string } }
	}
	launched := call(anna, "debugger/launch", `{"path":"sleep","args":["60"],"stop_at_entry":true}`)
	if err := json.Unmarshal(launched.Result, &begun); err != nil || begun.StructuredContent.State.Session == "" {
		t.Skipf("nothing can be debugged: %.300s", launched.text)
	}
	session := fmt.Sprintf(`{"session":%q}`, begun.StructuredContent.State.Session)
	defer call(anna, "debugger/detach", `{"kill":true}`)

	for _, tool := range []string{"debugger/get_stack_trace", "debugger/continue", "debugger/detach"} {
		r := call(eve, tool, session)
		var told struct{ IsError bool }
		if err := json.Unmarshal(r.Result, &told); err != nil || !told.IsError {
			t.Errorf("%s in the session of another key: %.300s", tool, r.text)
		}
	}

	var task struct{ ResultType, TaskID, Status string }
	going := call(anna, "debugger/continue", `{"wait_ms":60000}`)
	if err := json.Unmarshal(going.Result, &task); err != nil || task.ResultType != "task" {
		t.Fatalf("no task: %.300s", going.text)
	}
	id := fmt.Sprintf(`"taskId":%q`, task.TaskID)
	eve.modernly(t, "tasks/get", task.TaskID, id).is(t, "the task of another key", 200, -32602)
	eve.modernly(t, "tasks/update", task.TaskID, id+`,"inputResponses":{}`).is(t, "answers to it", 200, -32602)
	eve.modernly(t, "tasks/cancel", task.TaskID, id).is(t, "its end", 200, -32602)
	r := anna.modernly(t, "tasks/get", task.TaskID, id)
	if err := json.Unmarshal(r.Result, &task); err != nil || task.Status != "working" {
		t.Errorf("the task, afterwards: %.300s", r.text)
	}
	anna.modernly(t, "tasks/cancel", task.TaskID, id).is(t, "the end of one's own", 200, 0)
}
