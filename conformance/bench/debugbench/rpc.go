package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// An rpc is Delve's server, asked in JSON. It is started for a process, so its
// start is part of attaching.
type rpc struct {
	*wire

	ctx     context.Context //nolint:containedctx // of the server that attach starts
	program string
	id      int
}

func (b *bench) newRPC(ctx context.Context) (debugger, error) {
	return &rpc{ctx: ctx, program: b.delve}, nil
}

var listening = regexp.MustCompile(`listening at: (\S+)`)

func (r *rpc) attach(pid int) (time.Duration, error) {
	began := time.Now()
	if err := r.start(pid); err != nil {
		return 0, err
	}
	if _, err := r.call("State", args{"NonBlocking": true}, nil); err != nil {
		return 0, err
	}
	if _, _, err := r.frames(); err != nil {
		return 0, err
	}
	return time.Since(began), nil
}

// start starts the server and connects to it.
func (r *rpc) start(pid int) error {
	server, cmd, err := spawn(r.ctx, nil, r.program, "attach", strconv.Itoa(pid), "--headless", "--api-version=2",
		"--listen=127.0.0.1:0", "--check-go-version=false")
	if err != nil {
		return err
	}
	var address string
	for address == "" {
		line, err := server.out.ReadString('\n')
		if m := listening.FindStringSubmatch(line); m != nil {
			address = m[1]
		} else if err != nil {
			return errors.Join(fmt.Errorf("start the server: %w", err), server.close())
		}
	}
	conn, err := new(net.Dialer).DialContext(r.ctx, "tcp", address)
	if err != nil {
		return errors.Join(err, server.close())
	}
	r.wire = &wire{in: conn, out: bufio.NewReaderSize(conn, 1<<20), cut: func() { kill(cmd) }, gone: cmd.Wait}
	return nil
}

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // what is gone needs no end

// call calls a method of the server and decodes its result into a pointer, if
// there is one.
func (r *rpc) call(method string, a args, into any) (time.Duration, error) {
	r.id++
	request, err := json.Marshal(map[string]any{"method": "RPCServer." + method, "params": []any{a}, "id": r.id})
	if err != nil {
		return 0, err
	}
	answer, took, err := r.ask(string(request), func([]byte) bool { return true })
	if err != nil {
		return took, err
	}
	var message struct {
		Result json.RawMessage
		Error  any
	}
	if err := json.Unmarshal(answer[0], &message); err != nil {
		return took, err
	}
	if message.Error != nil {
		return took, fmt.Errorf("%s: %v", method, message.Error)
	}
	if into != nil {
		err = json.Unmarshal(message.Result, into)
	}
	return took, err
}

func (r *rpc) reach(function string) error {
	var made struct{ Breakpoint struct{ ID int } }
	if _, err := r.call("CreateBreakpoint", args{"Breakpoint": args{"functionName": function}}, &made); err != nil {
		return err
	}
	var stop struct {
		State struct {
			CurrentThread *struct{ Function *struct{ Name string } }
		}
	}
	if _, err := r.call("Command", args{"name": "continue"}, &stop); err != nil {
		return err
	}
	if t := stop.State.CurrentThread; t == nil || t.Function == nil || !strings.Contains(t.Function.Name, function) {
		return fmt.Errorf("it did not stop in %s", function)
	}
	_, err := r.call("ClearBreakpoint", args{"Id": made.Breakpoint.ID}, nil)
	return err
}

func (r *rpc) step() (time.Duration, error) {
	return r.call("Command", args{"name": "stepInstruction"}, nil)
}

func (r *rpc) frames() (int, time.Duration, error) {
	var answer struct{ Locations []json.RawMessage }
	took, err := r.call("Stacktrace", args{"Id": -1, "Depth": 9}, &answer)
	return len(answer.Locations), took, err
}

func (r *rpc) locals() (int, time.Duration, error) {
	var answer struct{ Variables []json.RawMessage }
	took, err := r.call("ListLocalVars", args{
		"Scope": args{"GoroutineID": -1, "Frame": 1},
		"Cfg":   args{"FollowPointers": true, "MaxVariableRecurse": 1, "MaxStringLen": 64, "MaxArrayValues": 64, "MaxStructFields": -1},
	}, &answer)
	return len(answer.Variables), took, err
}

// close ends the server and its process.
func (r *rpc) close() error {
	if r.wire == nil {
		return nil
	}
	_, _ = r.call("Detach", args{"Kill": true}, nil) // it may be gone
	return r.wire.close()
}
