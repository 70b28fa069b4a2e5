package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

type napArgs struct {
	MS   int    `json:"ms" doc:"How long"`
	Fail bool   `json:"fail,omitempty" doc:"Whether to fail"`
	Size int    `json:"size,omitempty" doc:"Of the text"`
	Note string `json:"note,omitempty" doc:"For the record"`
}

type nap struct {
	MS    int    `json:"ms"`
	Dream string `json:"dream,omitempty"`
}

func (n nap) Text() string { return fmt.Sprintf("slept %d ms", n.MS) + n.Dream }

// sleeper is a table with a typed tool that takes its time.
func sleeper() *mcp.Table {
	return &mcp.Table{Family: "bed", ModelErrors: []jsonrpc.Code{-32007}, Tools: []mcp.Tool{{
		Name: "nap", Doc: "Sleep", Task: mcp.TaskWhenSlow,
		Details: func(args json.RawMessage, answer any) map[string]string {
			var in napArgs
			_ = json.Unmarshal(args, &in) // of a call that was let in
			n, _ := answer.(nap)
			return map[string]string{"note": in.Note, "slept": fmt.Sprint(n.MS)}
		},
		Call: mcp.Typed(func(ctx context.Context, call *mcp.Call, in napArgs) (nap, error) {
			call.Progress(ctx, 1, 2, "asleep")
			select {
			case <-time.After(time.Duration(in.MS) * time.Millisecond):
			case <-ctx.Done():
				return nap{}, ctx.Err()
			}
			if in.Fail {
				return nap{}, &jsonrpc.Error{Code: -32007, Message: "Bad dreams"}
			}
			return nap{MS: in.MS, Dream: strings.Repeat("z", in.Size)}, nil
		}),
	}}}
}

// A bedside is a client of the sleeper and what its server's observer saw.
type bedside struct {
	server  *mcp.Server
	handler *mcp.Handler

	mu     sync.Mutex
	events []host.Event
	lost   error // what the observer answers from now on
}

func layDown(t *testing.T) *bedside {
	t.Helper()
	b := new(bedside)
	var err error
	b.server, err = mcp.New(mcp.Config{Name: "test", Version: "1", Observe: b.observe}, sleeper())
	if err != nil {
		t.Fatal(err)
	}
	b.handler = b.server.Bind(host.Caller{Principal: host.Principal{ID: "key_1"}}, nil)
	return b
}

func (b *bedside) observe(_ context.Context, e *host.Event) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, *e)
	return b.lost
}

// seen are the events in short.
func (b *bedside) seen() (all []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		all = append(all, fmt.Sprintf("%s %s task=%v code=%d failed=%v note=%s slept=%s", e.Method, e.Target, e.Task, e.Code, e.Failed, e.Details["note"], e.Details["slept"]))
	}
	return all
}

const (
	withTasks = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
	withoutTasks = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
)

// An outcome has the members of results and errors that the tests look at.
type outcome struct {
	Type    string   `json:"resultType"`
	ID      string   `json:"taskId"`
	Status  string   `json:"status"`
	Message string   `json:"statusMessage"`
	Slept   *nap     `json:"structuredContent"`
	IsError bool     `json:"isError"`
	Result  *outcome `json:"result"`
	Error   *struct{ Code int }
	Code    int
	Meta    map[string]json.RawMessage `json:"_meta"`
}

func (b *bedside) ask(t *testing.T, method, params string) (o outcome) {
	t.Helper()
	raw := ask(t, b.handler, method, "{"+params+"}")
	if err := json.Unmarshal([]byte(raw), &o); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return o
}

func (b *bedside) nap(t *testing.T, args string) outcome {
	t.Helper()
	return b.ask(t, "tools/call", `"name":"nap","arguments":`+args+`,`+withTasks)
}

func (b *bedside) get(t *testing.T, id string) outcome {
	t.Helper()
	return b.ask(t, "tasks/get", `"taskId":"`+id+`",`+withTasks)
}

func TestQuickCallOfASlowToolIsNoTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := layDown(t)
		got := b.nap(t, `{"ms":900,"note":"short"}`)
		if got.Type != "complete" || got.Slept == nil || got.Slept.MS != 900 {
			t.Errorf("got %+v, want the whole answer", got)
		}
		if got := b.nap(t, `{"ms":1,"fail":true}`); !got.IsError || got.Type != "complete" || got.Meta["io.github.triptych-mcp/error"] == nil {
			t.Errorf("got %+v, want the error as without tasks", got)
		}
		want := []string{
			"tools/call nap task=false code=0 failed=false note=short slept=900",
			"tools/call nap task=false code=0 failed=true note= slept=0",
		}
		if got := b.seen(); !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
	})
}

func TestSlowCallBecomesATask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := layDown(t)
		began := time.Now()
		task := b.nap(t, `{"ms":5000,"note":"long"}`)
		if took := time.Since(began); took != time.Second || task.Type != "task" || task.Status != "working" || task.ID == "" {
			t.Fatalf("got %+v after %v, want a task after 1s", task, took)
		}
		if task.Message != "asleep" {
			t.Errorf("message %q, want the progress", task.Message)
		}
		if got := b.get(t, task.ID); got.Type != "complete" || got.Status != "working" {
			t.Errorf("got %+v, want a task that works", got)
		}
		time.Sleep(4 * time.Second)
		synctest.Wait()
		got := b.get(t, task.ID)
		if got.Status != "completed" || got.Result == nil || got.Result.Type != "complete" || got.Result.Slept == nil || got.Result.Slept.MS != 5000 {
			t.Errorf("got %+v, want the structured answer", got)
		}
		want := []string{
			"tools/call nap task=true code=0 failed=false note= slept=",
			"tasks/get  task=false code=0 failed=false note= slept=",
			"task/end nap task=false code=0 failed=false note=long slept=5000",
			"tasks/get  task=false code=0 failed=false note= slept=",
		}
		if got := b.seen(); !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
	})
}

func TestClientWithoutTasksWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := layDown(t)
		got := b.ask(t, "tools/call", `"name":"nap","arguments":{"ms":5000},`+withoutTasks)
		if got.Type != "complete" || got.Slept == nil || got.Slept.MS != 5000 {
			t.Errorf("got %+v, want the answer", got)
		}
	})
}

func TestTaskKeepsTheErrorOfATool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := layDown(t)
		task := b.nap(t, `{"ms":2000,"fail":true}`)
		time.Sleep(time.Second)
		synctest.Wait()
		got := b.get(t, task.ID)
		if got.Status != "completed" || got.Result == nil || !got.Result.IsError || got.Result.Meta["io.github.triptych-mcp/error"] == nil {
			t.Errorf("got %+v, want a result with the error and its code", got)
		}
	})
}

func TestTaskIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := layDown(t)
		task := b.nap(t, `{"ms":1000000}`)
		b.ask(t, "tasks/cancel", `"taskId":"`+task.ID+`",`+withTasks)
		synctest.Wait() // the handler has ended, or the bubble would not
		if got := b.get(t, task.ID); got.Status != "cancelled" {
			t.Errorf("status %q, want cancelled", got.Status)
		}
	})
}

// A client that goes before its call is a task takes the call with it.
func TestCallerGoesBeforeTheTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := layDown(t)
		ctx, stop := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer stop()
		req := jsonrpc.Request{ID: jsonrpc.NumberID(1), Method: "tools/call"}
		req.Params = []byte(`{"name":"nap","arguments":{"ms":1000000},` + withTasks + `}`)
		began := time.Now()
		_, err := b.handler.Handle(ctx, &req, nil)
		if took := time.Since(began); err == nil || took != 500*time.Millisecond {
			t.Errorf("error %v after %v, want one after 500ms", err, took)
		}
	})
}

// No result leaves without its record, a task's neither.
func TestTaskThatCannotBeRecordedFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := layDown(t)
		task := b.nap(t, `{"ms":2000}`)
		b.mu.Lock()
		b.lost = errors.New("the disk is full")
		b.mu.Unlock()
		time.Sleep(time.Second)
		synctest.Wait()
		b.mu.Lock()
		b.lost = nil
		b.mu.Unlock()
		if got := b.get(t, task.ID); got.Status != "failed" || got.Result != nil || got.Error == nil || got.Error.Code != -32603 {
			t.Errorf("got %+v, want a failure without a result", got)
		}
	})
}

// The results of one principal hold 32 MiB at most; the oldest go first.
func TestResultsOfTasksAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := layDown(t)
		var ids []string
		for range 10 {
			ids = append(ids, b.nap(t, `{"ms":2000,"size":4000000}`).ID) // in text and as data: 8,000,000
			time.Sleep(2 * time.Second)
		}
		synctest.Wait()
		kept := 0
		for i, id := range ids {
			if got := b.get(t, id); got.Status == "completed" {
				kept++
			} else if got.Code != -32602 || kept > 0 {
				t.Errorf("task %d: got %+v", i, got)
			}
		}
		if kept != 4 { // of 8,000,000 bytes and some in 33,554,432
			t.Errorf("%d results are kept, want 4", kept)
		}
	})
}
