package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// A taskShelf is the store of the tests: what servers share.
type taskShelf struct {
	mu       sync.Mutex
	records  map[string]host.TaskRecord
	owners   map[string]string // the server that saved a record first
	ended    map[string]bool   // servers that have ended
	watchers map[string]func(principal, id string)
	away     bool // all methods fail
	deaf     bool // changes are not told
}

func newShelf() *taskShelf {
	return &taskShelf{
		records: map[string]host.TaskRecord{}, owners: map[string]string{}, ended: map[string]bool{},
		watchers: map[string]func(string, string){},
	}
}

// set changes the shelf.
func (s *taskShelf) set(change func(*taskShelf)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// A serverShelf is the store as one server has it.
type serverShelf struct {
	*taskShelf
	name string
}

var errShelfAway = errors.New("the store is away")

func (s serverShelf) Save(_ context.Context, r *host.TaskRecord) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch key := r.Principal + "/" + r.ID; {
	case s.away:
		return errShelfAway
	case s.records[key].Version != r.Version:
		return host.ErrTaskChanged
	default:
		r.Version++
		s.records[key] = *r
		if s.owners[key] == "" {
			s.owners[key] = s.name
		}
	}
	for name, changed := range s.watchers {
		if name != s.name && !s.deaf {
			go changed(r.Principal, r.ID)
		}
	}
	return nil
}

func (s serverShelf) Load(_ context.Context, principal, id string) (*host.TaskRecord, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.records[principal+"/"+id]
	switch {
	case s.away:
		return nil, errShelfAway
	case !ok:
		return nil, host.ErrNoTask
	}
	r.Lost = !r.Final && s.ended[s.owners[principal+"/"+id]]
	return &r, nil
}

func (s serverShelf) Remove(_ context.Context, principal, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.records, principal+"/"+id)
	return nil
}

func (s serverShelf) Watch(ctx context.Context, changed func(principal, id string)) error {
	s.set(func(shelf *taskShelf) { shelf.watchers[s.name] = changed })
	<-ctx.Done()
	return nil
}

// quizzer is a table with a tool that asks after two seconds.
func quizzer() *mcp.Table {
	return &mcp.Table{Family: "quiz", Tools: []mcp.Tool{{
		Name: "quiz", Doc: "Ask", Task: mcp.TaskWhenSlow,
		Call: mcp.Typed(func(ctx context.Context, call *mcp.Call, _ struct{}) (string, error) {
			time.Sleep(2 * time.Second)
			answers, err := call.Ask(ctx, map[string]mcp.InputRequest{
				"name": mcp.Form("Who?", json.RawMessage(`{"type":"object","properties":{}}`)),
				"town": mcp.Form("Where?", json.RawMessage(`{"type":"object","properties":{}}`)),
			})
			return string(answers["name"]) + string(answers["town"]), err
		}),
	}, {
		Name: "twice", Doc: "Ask twice", Task: mcp.TaskWhenSlow,
		Call: mcp.Typed(func(ctx context.Context, call *mcp.Call, _ struct{}) (string, error) {
			time.Sleep(2 * time.Second)
			said := ""
			for range 2 {
				answers, err := call.Ask(ctx, map[string]mcp.InputRequest{
					"name": mcp.Form("Who?", json.RawMessage(`{"type":"object","properties":{}}`)),
				})
				if err != nil {
					return "", err
				}
				said += string(answers["name"])
			}
			return said, nil
		}),
	}}}
}

// join starts a server that shares the shelf, for as long as the bubble runs.
func join(t *testing.T, shelf *taskShelf, name string) *bedside {
	t.Helper()
	b := new(bedside)
	var err error
	b.server, err = mcp.New(mcp.Config{Name: "test", Version: "1", Observe: b.observe, Tasks: serverShelf{shelf, name}}, sleeper(), quizzer())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = b.server.Run(ctx) }) // its families watch nothing
	t.Cleanup(func() {
		stop()
		running.Wait()
		_ = b.server.Close() // likewise
	})
	b.handler = b.server.Bind(host.Caller{Principal: host.Principal{ID: "key_1"}}, nil)
	synctest.Wait()
	return b
}

// A task is read, and its result, at another server than its own; by its principal only.
func TestTaskAtAnotherServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf := newShelf()
		one, two := join(t, shelf, "one"), join(t, shelf, "two")
		quick := one.nap(t, `{"ms":10}`)
		if len(shelf.records) != 0 || quick.Slept == nil {
			t.Errorf("%d records of a call that is no task: %+v", len(shelf.records), quick)
		}
		task := one.nap(t, `{"ms":5000}`)
		if got := two.get(t, task.ID); got.Status != "working" || got.Message != "asleep" {
			t.Errorf("got %+v, want the task that works", got)
		}
		other := two.server.Bind(host.Caller{Principal: host.Principal{ID: "key_2"}}, nil)
		if got := ask(t, other, "tasks/get", `{"taskId":"`+task.ID+`",`+withTasks+`}`); !strings.Contains(got, "there is no task") {
			t.Errorf("another key gets %s", got)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if got := two.get(t, task.ID); got.Status != "completed" || got.Result == nil || got.Result.Slept == nil || got.Result.Slept.MS != 5000 {
			t.Errorf("got %+v, want the result", got)
		}
		shelf.set(func(s *taskShelf) { s.ended["one"] = true })
		if got := two.get(t, task.ID); got.Status != "completed" {
			t.Errorf("after the end of its server: %+v", got)
		}
	})
}

// A task is cancelled at another server, which need not hear of it at once.
func TestTaskIsCancelledAtAnotherServer(t *testing.T) {
	for _, deaf := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			shelf := newShelf()
			one, two := join(t, shelf, "one"), join(t, shelf, "two")
			task := one.nap(t, `{"ms":1000000}`)
			shelf.set(func(s *taskShelf) { s.deaf = deaf })
			two.ask(t, "tasks/cancel", `"taskId":"`+task.ID+`",`+withTasks)
			if got := two.get(t, task.ID); got.Status != "cancelled" {
				t.Errorf("there it is %s", got.Status)
			}
			if deaf {
				time.Sleep(6 * time.Second) // servers look every five
			}
			synctest.Wait()
			if got := one.get(t, task.ID); got.Status != "cancelled" {
				t.Errorf("at its server it is %s", got.Status)
			}
			if last := one.seen(); !strings.HasPrefix(last[1], "task/end") {
				t.Errorf("its job goes on: %q", last)
			}
		})
	}
}

// What a task asks for is answered at other servers, one answer at each.
func TestTaskIsAnsweredAtOtherServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf := newShelf()
		one, two, three := join(t, shelf, "one"), join(t, shelf, "two"), join(t, shelf, "three")
		const asks = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
		task := one.ask(t, "tools/call", `"name":"quiz","arguments":{},`+asks)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := two.get(t, task.ID); got.Status != "input_required" {
			t.Fatalf("got %+v, want a task that asks", got)
		}
		two.ask(t, "tasks/update", `"taskId":"`+task.ID+`","inputResponses":{"name":{"a":1},"none":{"b":2}},`+asks)
		three.ask(t, "tasks/update", `"taskId":"`+task.ID+`","inputResponses":{"town":{"c":3}},`+asks)
		synctest.Wait()
		var got struct {
			Status string
			Result struct{ Content []struct{ Text string } }
		}
		raw := ask(t, three.handler, "tasks/get", `{"taskId":"`+task.ID+`",`+asks+`}`)
		if err := json.Unmarshal([]byte(raw), &got); err != nil || got.Status != "completed" || got.Result.Content[0].Text != `{"a":1}{"c":3}` {
			t.Errorf("%v: %s", err, raw)
		}
	})
}

// A task whose server was killed has failed, and says why.
func TestTaskOfAServerThatHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf := newShelf()
		one, two := join(t, shelf, "one"), join(t, shelf, "two")
		task := one.nap(t, `{"ms":1000000}`)
		shelf.set(func(s *taskShelf) { s.ended["one"] = true })
		raw := ask(t, two.handler, "tasks/get", `{"taskId":"`+task.ID+`",`+withTasks+`}`)
		if !strings.Contains(raw, `"status":"failed"`) || !strings.Contains(raw, "has ended; call the tool again") {
			t.Errorf("got %s", raw)
		}
	})
	synctest.Test(t, func(t *testing.T) { // one that ends in order says so itself
		shelf := newShelf()
		one, two := join(t, shelf, "one"), join(t, shelf, "two")
		task := one.nap(t, `{"ms":1000000}`)
		_ = one.server.Close() // its families have nothing to close
		raw := ask(t, two.handler, "tasks/get", `{"taskId":"`+task.ID+`",`+withTasks+`}`)
		if !strings.Contains(raw, `"status":"failed"`) || !strings.Contains(raw, "has ended; call the tool again") {
			t.Errorf("got %s", raw)
		}
	})
}

// Without the store no call becomes a task; the end of one that is, is stored as soon as
// the store is back.
func TestTasksWithoutTheirStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf := newShelf()
		one, two := join(t, shelf, "one"), join(t, shelf, "two")
		task := one.nap(t, `{"ms":3000}`)
		shelf.set(func(s *taskShelf) { s.away = true })
		if got := one.nap(t, `{"ms":4000}`); got.Type != "complete" || got.Slept == nil || got.Slept.MS != 4000 {
			t.Errorf("got %+v, want the answer in the call", got)
		}
		if got := two.get(t, task.ID); got.Code != -32603 {
			t.Errorf("got %+v, want an error", got)
		}
		shelf.set(func(s *taskShelf) { s.away = false })
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := two.get(t, task.ID); got.Status != "completed" || got.Result == nil {
			t.Errorf("got %+v, want the result", got)
		}
	})
}

// A question that could not be stored is stored as soon as the store is back, so that
// clients of other servers can answer it.
func TestQuestionWithoutTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf := newShelf()
		one, two := join(t, shelf, "one"), join(t, shelf, "two")
		const asks = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
		task := one.ask(t, "tools/call", `"name":"quiz","arguments":{},`+asks) // answered after a second
		shelf.set(func(s *taskShelf) { s.away = true })
		time.Sleep(5 * time.Second)
		shelf.set(func(s *taskShelf) { s.away = false })
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := two.get(t, task.ID); got.Status != "input_required" {
			t.Fatalf("got %+v, want a task that asks", got)
		}
		two.ask(t, "tasks/update", `"taskId":"`+task.ID+`","inputResponses":{"name":{},"town":{}},`+asks)
		synctest.Wait()
		if got := two.get(t, task.ID); got.Status != "completed" {
			t.Errorf("got %+v, want the result", got)
		}
	})
}

// An answer in the store is no answer to a later question with the same name.
func TestAnswersBelongToTheirQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf := newShelf()
		one, two := join(t, shelf, "one"), join(t, shelf, "two")
		const asks = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
		task := one.ask(t, "tools/call", `"name":"twice","arguments":{},`+asks)
		answer := func(b *bedside, text string) {
			b.ask(t, "tasks/update", `"taskId":"`+task.ID+`","inputResponses":{"name":`+text+`},`+asks)
			synctest.Wait()
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		shelf.set(func(s *taskShelf) { s.deaf = true })
		answer(two, `{"old":1}`) // of which its server does not hear
		shelf.set(func(s *taskShelf) { s.away = true })
		answer(one, `{"first":1}`) // after which the task asks again
		shelf.set(func(s *taskShelf) { s.away = false })
		time.Sleep(10 * time.Second) // servers look every five
		synctest.Wait()
		if got := two.get(t, task.ID); got.Status != "input_required" {
			t.Fatalf("got %+v, want a task that asks again", got)
		}
		shelf.set(func(s *taskShelf) { s.deaf = false })
		answer(two, `{"second":2}`)
		raw := ask(t, two.handler, "tasks/get", `{"taskId":"`+task.ID+`",`+asks+`}`)
		if !strings.Contains(raw, `{\"first\":1}{\"second\":2}`) {
			t.Errorf("got %s", raw)
		}
	})
}
