package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"time"
)

// triptych is our server, asked as every client asks it.
type triptych struct {
	*wire

	id    int
	state state // of the last answer
}

// state is the state of the process in answers.
type state struct {
	Status, Reason, Function, Note string
	History                        struct {
		Position, Oldest, End uint64
		Bytes                 int
	}
}

// newTriptych starts the server as it is for everybody: every call leaves a record
// in the audit trail.
func (b *bench) newTriptych(ctx context.Context) (debugger, error) { return b.startTriptych(ctx) }

// newQuiet starts the server without an audit trail.
func (b *bench) newQuiet(ctx context.Context) (debugger, error) {
	return b.startTriptych(ctx, "--no-audit")
}

// newStepwise starts the server so that it records instruction by instruction.
func (b *bench) newStepwise(ctx context.Context) (debugger, error) {
	return b.startTriptych(ctx, "--no-translate")
}

func (b *bench) startTriptych(ctx context.Context, more ...string) (debugger, error) {
	argv := append([]string{
		b.program("triptych"), "stdio", "--families", "debugger",
		"--data", filepath.Join(b.bin, "data"), "--attach", "own", "--history-memory", strconv.Itoa(historyMiB),
	}, more...)
	w, _, err := spawn(ctx, []string{"LOG_LEVEL=error"}, argv...)
	if err != nil {
		return nil, err
	}
	t := &triptych{wire: w}
	return t, t.handshake()
}

// historyMiB limits the memory of the history of a process.
const historyMiB = 512

// handshake tells who we are.
func (t *triptych) handshake() error {
	hello := `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"debugbench","version":"1"}}`
	if _, _, err := t.request("initialize", hello); err != nil {
		return err
	}
	_, err := t.in.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"))
	return err
}

// request returns the result of a request.
func (t *triptych) request(method, params string) (json.RawMessage, time.Duration, error) {
	t.id++
	line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, t.id, method, params)
	answer, took, err := t.ask(line, func(line []byte) bool { return !bytes.Contains(line[:min(len(line), 60)], []byte(`"method"`)) })
	if err != nil {
		return nil, took, err
	}
	var message struct {
		Result json.RawMessage
		Error  json.RawMessage
	}
	if err := json.Unmarshal(answer[len(answer)-1], &message); err != nil {
		return nil, took, err
	}
	if message.Error != nil {
		return nil, took, fmt.Errorf("%s %s: %s", method, params, message.Error)
	}
	return message.Result, took, nil
}

type args map[string]any

// call calls a tool of the debugger and decodes the answer into a pointer, if
// there is one.
func (t *triptych) call(tool string, a args, into any) (time.Duration, error) {
	if a == nil {
		a = args{}
	}
	params, err := json.Marshal(map[string]any{"name": "debugger/" + tool, "arguments": a})
	if err != nil {
		return 0, err
	}
	result, took, err := t.request("tools/call", string(params))
	if err != nil {
		return took, err
	}
	var answer struct {
		Failed  bool            `json:"isError"`
		Content json.RawMessage `json:"structuredContent"`
		Text    json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return took, err
	}
	if answer.Failed {
		return took, fmt.Errorf("%s: %s", tool, answer.Text)
	}
	if into != nil {
		return took, json.Unmarshal(answer.Content, into)
	}
	return took, nil
}

// move calls a tool that moves the process, or what is looked at; it must stop
// for one of the reasons.
func (t *triptych) move(tool string, a args, reasons ...string) (time.Duration, error) {
	if a == nil {
		a = args{}
	}
	a["wait_ms"] = 60_000
	var answer struct{ State state }
	took, err := t.call(tool, a, &answer)
	if err != nil {
		return took, err
	}
	t.state = answer.State
	for _, reason := range reasons {
		if t.state.Status == "stopped" && t.state.Reason == reason {
			return took, nil
		}
	}
	return took, fmt.Errorf("after %s it is %+v", tool, t.state)
}

func (t *triptych) attach(pid int) (time.Duration, error) {
	took, err := t.call("attach", args{"pid": pid}, nil)
	if err != nil {
		return took, err
	}
	_, more, err := t.frames()
	return took + more, err
}

func (t *triptych) frames() (int, time.Duration, error) {
	var answer struct{ Frames []json.RawMessage }
	took, err := t.call("get_stack_trace", args{"max_frames": 10}, &answer)
	return len(answer.Frames), took, err
}

func (t *triptych) locals() (int, time.Duration, error) {
	var answer struct{ Local []json.RawMessage }
	took, err := t.call("get_variables", args{"scope": "local", "frame": 1}, &answer)
	return len(answer.Local), took, err
}

func (t *triptych) step() (time.Duration, error) { return t.steps(1) }

func (t *triptych) steps(n int) (time.Duration, error) {
	return t.move("step_forward", args{"count": n}, "step")
}

func (t *triptych) reach(function string) error {
	return t.at(function, 1, func() error {
		_, err := t.run()
		return err
	})
}

// at calls f with a breakpoint that stops at the nth hit.
func (t *triptych) at(function string, n int, f func() error) error {
	var answer struct{ Breakpoint struct{ ID int } }
	if _, err := t.call("set_breakpoint", args{"function": function, "hit_count": n}, &answer); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	_, err := t.call("clear_breakpoint", args{"id": answer.Breakpoint.ID}, nil)
	return err
}
