package debugcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/toolcmd"
)

// A debugAnswer is the answer of a tool, with the members that the shell uses.
type debugAnswer struct {
	toolcmd.Result
	shown struct {
		Output string   `json:"output"` // of the program
		Next   int64    `json:"next"`   // of get_output: the number of the byte after it
		From   int64    `json:"from"`   // and of its first one
		Logged []string `json:"logged"` // by logpoints
		State  struct {
			Session  string `json:"session"`
			Status   string `json:"status"`
			Function string `json:"function"`
			File     string `json:"file"`
			Line     int    `json:"line"`
			Source   string `json:"source"`
		} `json:"state"`
	}
}

// running reports whether the program runs on.
func (a *debugAnswer) running() bool { return a.shown.State.Status == "running" }

// text is the text of the answer without output and log, which were printed already. That of a tool
// that has moved the process gets the line of the source.
func (a *debugAnswer) text(text string, moved bool) string {
	text = withoutSection(text, "Logged:", strings.Join(a.shown.Logged, "\n"))
	text = withoutSection(text, "Output:", a.shown.Output)
	state := &a.shown.State
	if !moved || state.Status != "stopped" || state.File == "" || strings.HasPrefix(text, "{") {
		return text
	}
	where := fmt.Sprintf("\n%s at %s:%d", state.Function, state.File, state.Line)
	if state.Source != "" {
		where += fmt.Sprintf("\n%d\t%s", state.Line, state.Source)
	}
	if strings.Contains(text, where) {
		return text
	}
	return text + where
}

// withoutSection returns a text without its first section with a title, which has as many lines as
// what it is made of.
func withoutSection(text, title, content string) string {
	before, after, found := strings.Cut(text, "\n"+title+"\n")
	if content == "" || !found {
		return text
	}
	for range strings.Count(strings.TrimRight(content, "\n"), "\n") + 1 {
		_, after, found = strings.Cut(after, "\n")
	}
	if !found {
		return before
	}
	return before + "\n" + after
}

// moves are the tools during which the program runs, or moves through its history. Ctrl-C pauses
// it then, and ends the call of any other tool.
var moves = []string{
	"continue", "wait", "step_line", "step_over", "step_out", "step_forward", "step_backward", "reverse_continue", "seek",
}

// starts are the tools that begin a session.
var starts = []string{"launch", "attach", "restart", "open_core", "open_trace"}

// Times in milliseconds: how long a move of a launched program may take before its output is
// printed as it comes, and the longest waits for output, and for a stop.
const (
	promptTime = 50
	outputTime = 500
	stopTime   = 60000
)

// call calls a tool and prints its answer. If the program still runs then, it waits on, unless the
// user has said how long to wait.
func (s *debugShell) call(ctx context.Context, name string, arguments map[string]any) error {
	_, timed := arguments["wait_ms"]
	moving := slices.Contains(moves, name)
	if moving && !timed && s.launched {
		arguments["wait_ms"] = promptTime
	}
	if _, chosen := arguments["input"]; name == "launch" && !chosen && s.keys != nil {
		arguments["input"] = terminalInput
	}
	answer, err := s.await(ctx, name, arguments)
	for err == nil && answer.running() && !timed && name != "pause" {
		s.printWritten(&answer)
		answer, err = s.follow(ctx)
	}
	if err != nil {
		return toolcmd.DescribeError(err, "help lists the commands")
	}
	s.printWritten(&answer)
	moved := moving || slices.Contains(starts, name)
	for i := range answer.Content {
		answer.Content[i].Text = answer.text(answer.Content[i].Text, moved)
	}
	if err := toolcmd.PrintContent(s.IO, answer.Result); err != nil {
		return err
	}
	if answer.IsError {
		return cmderr.ErrReported
	}
	return nil
}

// follow waits for the next output of the program, or for its stop.
func (s *debugShell) follow(ctx context.Context) (debugAnswer, error) {
	wait := stopTime
	if s.launched {
		answer, err := s.await(ctx, "get_output", map[string]any{"session": s.session, "wait_ms": outputTime})
		if err != nil || answer.shown.State.Status != "" { // it was paused
			return answer, err
		}
		s.printWritten(&answer)
		if !answer.IsError {
			wait = 0
		}
	}
	return s.await(ctx, "wait", map[string]any{"session": s.session, "wait_ms": wait})
}

// printWritten prints what the program and logpoints have written.
func (s *debugShell) printWritten(a *debugAnswer) {
	shown := &a.shown
	if shown.Next > 0 {
		if lost := shown.From - s.written; s.written > 0 && lost > 0 {
			s.print(fmt.Sprintf("\n(%d bytes of output left out)\n", lost))
		}
		s.written = shown.Next
	} else if shown.Output != "" {
		s.written = 0
	}
	s.print(shown.Output)
	if s.midLine && shown.State.Status != "" && !a.running() {
		s.print("\n")
	}
	for _, line := range shown.Logged {
		s.print(line + "\n")
	}
}

func (s *debugShell) print(text string) {
	if text == "" {
		return
	}
	_ = s.Printf("%s", text) // what fails is found again by the answer's text
	s.midLine = !strings.HasSuffix(text, "\n")
}

// errInterrupted ends the shell before it has begun, or a call.
var errInterrupted = errors.New("interrupted")

// await calls a tool. Each Ctrl-C meanwhile pauses the program, or ends the call if the program does
// not run; another signal ends the shell. What is typed is the input of the program.
func (s *debugShell) await(ctx context.Context, name string, arguments map[string]any) (debugAnswer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	follows := name == "get_output" || name == "wait"
	var keys <-chan typed
	if s.keys != nil && s.launched && follows {
		keys = s.keys.typed
	}
	got, paused := s.startCall(ctx, name, arguments), (<-chan result)(nil)
	for {
		select {
		case r := <-got:
			return s.received(name, r, paused)
		case key, open := <-keys:
			if !open { // the terminal is gone
				return debugAnswer{}, errQuit
			}
			s.sendInput(ctx, key)
		case sig := <-s.signals:
			switch {
			case !s.begun:
				return debugAnswer{}, errInterrupted
			case sig != os.Interrupt:
				return debugAnswer{}, errQuit
			case !follows && !slices.Contains(moves, name):
				return debugAnswer{}, errInterrupted // and cancel ends the call
			case paused == nil:
				paused = s.startCall(ctx, "pause", map[string]any{"session": s.session})
			}
		}
	}
}

// A result is the end of a call.
type result struct {
	answer debugAnswer
	err    error
}

// startCall begins a call. The channel gets its result.
func (s *debugShell) startCall(ctx context.Context, name string, arguments map[string]any) <-chan result {
	got := make(chan result, 1)
	go func() { // ends with the call, which the context ends
		var r result
		called, err := s.conversation.Client.CallTool(ctx, s.full(name), arguments)
		if err == nil {
			err = json.Unmarshal(called.Raw, &r.answer.Result)
		}
		if err == nil && len(r.answer.Structured) > 0 {
			err = json.Unmarshal(r.answer.Structured, &r.answer.shown)
		}
		r.err = err
		got <- r
	}()
	return got
}

// received returns the answer of a call that may have been paused: then the pause tells of the stop.
func (s *debugShell) received(name string, r result, paused <-chan result) (debugAnswer, error) {
	if r.err != nil || paused == nil {
		s.note(name, &r.answer)
		return r.answer, r.err
	}
	p := <-paused
	if p.err != nil || p.answer.IsError {
		s.note(name, &r.answer)
		return r.answer, nil
	}
	s.printWritten(&r.answer)
	s.note(name, &p.answer)
	return p.answer, nil
}

// note notes the session of an answer.
func (s *debugShell) note(name string, a *debugAnswer) {
	if id := a.shown.State.Session; id != "" && name != "detach" {
		s.launched = s.launched && id == s.session || name == "launch"
		s.session = id
	}
}

// sendInput passes on what was typed while the program runs. If the program does not read, it is
// dropped, as by a terminal whose buffer is full.
func (s *debugShell) sendInput(ctx context.Context, key typed) {
	arguments := map[string]any{"session": s.session, "text": string(key.text)}
	if key.err != nil { // Ctrl-D
		arguments["eof"] = true
	}
	if r := <-s.startCall(ctx, "send_input", arguments); r.err == nil && r.answer.IsError {
		fmt.Fprintf(s.Err, "triptych: %s\n", r.answer.Content[0].Text)
	}
}
