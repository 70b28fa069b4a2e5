package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/google/go-dap"
)

// nextLines steps over lines and the calls in them, with gdb and over DAP. Neither records.
func (b *bench) nextLines(ctx context.Context, round int) error {
	makers := []maker{{ours, b.newDAP}, {gdb, newMI}}
	for _, m := range turned(makers, round) {
		err := b.with(ctx, m, []string{b.program("called")}, func(d debugger, _ time.Duration) error {
			l, ok := d.(liner)
			if !ok {
				return errors.New("it steps over no lines")
			}
			return b.nextIn(l, m.name)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// A liner steps over lines.
type liner interface {
	reach(function string) error
	// next goes to the next line.
	next() (time.Duration, error)
}

func (b *bench) nextIn(d liner, side string) error {
	if err := d.reach("work"); err != nil {
		return err
	}
	var all time.Duration
	for range b.pace.singles {
		took, err := d.next()
		if err != nil {
			return err
		}
		all += took
	}
	b.readings.takeTime("next", side, all, b.pace.singles)
	return nil
}

func (g *mi) next() (time.Duration, error) {
	took, _, err := g.move("-exec-next")
	return took, err
}

// A dapClient is triptych dap, asked over its standard input and output.
type dapClient struct {
	*wire
	debugger // the methods that nothing is asked for here

	seq    int
	thread int
}

func (b *bench) newDAP(ctx context.Context) (debugger, error) {
	w, _, err := spawn(ctx, []string{"TRIPTYCH_DATA=" + filepath.Join(b.bin, "data")}, b.program("triptych"), "dap", "--stdio")
	if err != nil {
		return nil, err
	}
	return &dapClient{wire: w}, nil
}

func (d *dapClient) close() error { return d.wire.close() }

// attach attaches to a process, which stops.
func (d *dapClient) attach(pid int) (time.Duration, error) {
	began := time.Now()
	if err := d.request("initialize", args{"adapterID": "triptych"}, "initialize"); err != nil {
		return 0, err
	}
	if err := d.request("attach", args{"pid": pid, "stopOnEntry": true}, "initialized"); err != nil {
		return 0, err
	}
	err := d.request("configurationDone", nil, "stopped")
	return time.Since(began), err
}

func (d *dapClient) reach(function string) error {
	for _, names := range [][]args{{{"name": function}}, {}} {
		if err := d.request("setFunctionBreakpoints", args{"breakpoints": names}, "setFunctionBreakpoints"); err != nil {
			return err
		}
		if len(names) == 0 {
			break
		}
		if err := d.request("continue", args{"threadId": d.thread}, "stopped"); err != nil {
			return err
		}
	}
	return nil
}

func (d *dapClient) next() (time.Duration, error) {
	began := time.Now()
	err := d.request("next", args{"threadId": d.thread}, "stopped")
	return time.Since(began), err
}

// A dapMessage has what is read of an answer or an event.
type dapMessage struct {
	Type, Command, Event, Message string
	Success                       bool
	Body                          struct{ ThreadID int }
}

// request sends a request and reads to the answer or event of a name.
func (d *dapClient) request(command string, arguments any, until string) error {
	timer := time.AfterFunc(patience, d.cut)
	defer timer.Stop()
	d.seq++
	text, err := json.Marshal(args{"seq": d.seq, "type": "request", "command": command, "arguments": arguments})
	if err == nil {
		err = dap.WriteBaseMessage(d.in, text)
	}
	for err == nil {
		var m dapMessage
		if m, err = d.read(); err != nil {
			break
		}
		if m.Event == "stopped" {
			d.thread = m.Body.ThreadID
		}
		if m.Event == until || m.Type == "response" && m.Command == until {
			return nil
		}
	}
	return fmt.Errorf("no answer to %s: %w", command, err)
}

func (d *dapClient) read() (m dapMessage, err error) {
	text, err := dap.ReadBaseMessage(d.out)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err == nil && m.Type == "response" && !m.Success {
		err = fmt.Errorf("%s: %s", m.Command, m.Message)
	}
	return m, err
}
