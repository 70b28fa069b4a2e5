package gdbremote_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote/packet"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
)

// A mirror shows where the session goes and what its memory holds then, and
// changes nothing.
func TestMirrorOfGDB(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	exe := debuggertest.Build(t, "sums.c")
	s := recorded(t, r, exe)
	end := s.Target.History.End()
	v := serve(t, r, s, gdbremote.Options{Role: session.Mirror})
	ready := filepath.Join(t.TempDir(), "ready")
	moved := make(chan struct{})
	go func() { // the agent moves when gdb has looked
		defer close(moved)
		for {
			if _, err := os.Stat(ready); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond) // polls without a limit of its own: gdb has one
			if t.Context().Err() != nil {
				return
			}
		}
		within(t, s, func() (proc.Stop, error) { return s.Timeline.GoTo(t.Context(), s.Target.History.Oldest()) })
	}()
	out := v.gdb(t, exe,
		"p total", "set var total = 7", "p total", "set var $rax = 7", "break add", "monitor seek 1", "monitor record on",
		"monitor resume-here", "monitor breakpoints", "shell touch "+ready, "continue", "p total", "monitor position")
	v.wait(t)
	<-moved
	for i, want := range []string{
		"= 150", "Cannot access memory", "= 150", "changes nothing", "Breakpoint 1", "changes nothing", "changes nothing",
		"changes nothing", "no breakpoints", "", "main () at", "= 0", "position 0 of 0 to",
	} {
		if !strings.Contains(out[i], want) {
			t.Errorf("%d: %q, want %q", i, out[i], want)
		}
	}
	if n := len(s.Breakpoints.ByID); n != 0 {
		t.Errorf("the session has %d breakpoints, want none", n)
	}
	if now := s.Target.History.End(); now != end {
		t.Errorf("the history ends at %d, want %d as before", now, end)
	}
	if len(r.All()) != 1 {
		t.Error("the session has ended with its mirror")
	}
}

// A talk is the client's side of a connection.
type talk struct {
	t    *testing.T
	conn net.Conn
	c    *packet.Conn
}

func (v *served) talk(t *testing.T) *talk {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "unix", v.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	c := &talk{t, conn, packet.NewConn(conn)}
	if got := c.ask("QStartNoAckMode"); got != "OK" {
		t.Fatalf("QStartNoAckMode: %q", got)
	}
	c.c.StopAcks()
	return c
}

// ask sends a packet and returns the reply, without what is printed before.
func (c *talk) ask(text string) string {
	c.t.Helper()
	if err := c.c.Write([]byte(text)); err != nil {
		c.t.Fatal(err)
	}
	return c.reply()
}

func (c *talk) reply() string {
	c.t.Helper()
	for {
		p, err := c.c.Read()
		if err != nil {
			c.t.Fatal(err)
		}
		if text := string(p.Data); text == "OK" || !strings.HasPrefix(text, "O") {
			return text
		}
	}
}

// When the session has moved, a client is not shown a mixture: reads are
// refused until it resumes, which brings it to where the session is.
func TestMovedMeanwhile(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	s := recorded(t, r, debuggertest.Build(t, "sums.c"))
	for _, role := range []session.Role{session.Mirror, session.Control} {
		v := serve(t, r, s, gdbremote.Options{Role: role})
		c := v.talk(t)
		if got := c.ask("?"); !strings.HasPrefix(got, "T") {
			t.Fatalf("?: %q", got)
		}
		within(t, s, func() (proc.Stop, error) { return s.Timeline.GoTo(t.Context(), s.Target.History.Oldest()) })
		for _, text := range []string{"g", "p10", "qC"} {
			if got := c.ask(text); !strings.HasPrefix(got, "E.the session shows another position") {
				t.Errorf("%s after a move: %q", text, got)
			}
		}
		if got := c.ask("vCont;c"); !strings.HasPrefix(got, "T05") {
			t.Errorf("vCont;c after a move: %q", got)
		}
		if p := s.Target.History.View().Position(); p != s.Target.History.Oldest() {
			t.Errorf("position %d, want %d: the client was to be brought there", p, s.Target.History.Oldest())
		}
		if got := c.ask("g"); len(got) < 8 || got[0] == 'E' {
			t.Errorf("g there: %q", got)
		}
		if got := c.ask("D"); got != "OK" {
			t.Errorf("D: %q", got)
		}
		v.wait(t)
	}
}

// An interrupt stops a process that runs, and ends the wait of a mirror.
func TestInterrupt(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	s := launch(t, r, debuggertest.Build(t, "busy-loop.c"))
	for _, role := range []session.Role{session.Control, session.Mirror} {
		v := serve(t, r, s, gdbremote.Options{Role: role})
		c := v.talk(t)
		c.ask("?")
		if err := c.c.Write([]byte("vCont;c")); err != nil {
			t.Fatal(err)
		}
		if _, err := c.conn.Write([]byte{3}); err != nil {
			t.Fatal(err)
		}
		if got := c.reply(); !strings.HasPrefix(got, "T02") {
			t.Errorf("after an interrupt: %q, want T02", got)
		}
		if got := c.ask("D"); got != "OK" {
			t.Errorf("D: %q", got)
		}
		v.wait(t)
	}
}

// A client that goes while the process runs leaves it stopped, and none of its
// breakpoints.
func TestClientGone(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	s := launch(t, r, debuggertest.Build(t, "busy-loop.c"))
	v := serve(t, r, s, gdbremote.Options{Role: session.Control})
	c := v.talk(t)
	c.ask("?")
	stack := s.Target.CurrentStop().Address
	if got := c.ask("Z0," + hexOf(stack+1) + ",1"); got != "OK" {
		t.Fatalf("Z0: %q", got)
	}
	if err := c.c.Write([]byte("vCont;c")); err != nil {
		t.Fatal(err)
	}
	if err := c.conn.Close(); err != nil {
		t.Fatal(err)
	}
	v.wait(t)
	if err := s.RequireIdle(); err != nil {
		t.Error(err)
	}
	if n := len(s.Breakpoints.ByID); n != 0 {
		t.Errorf("%d breakpoints are left", n)
	}
}

// runs reports whether there is a process that has not ended.
func runs(pid int) bool {
	status, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/status", pid))
	return err == nil && !strings.HasPrefix(status["State"], "Z")
}

// An owner's kill ends the process, and its detach does not.
func TestOwnerEnds(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	exe := debuggertest.Build(t, "busy-loop.c")
	for _, text := range []string{"vKill;1", "k"} {
		s := launch(t, r, exe)
		v := serve(t, r, s, gdbremote.Options{Role: session.Owner})
		if got := v.talk(t).ask(text); got != "OK" {
			t.Errorf("%s: %q", text, got)
		}
		v.wait(t)
		if len(r.All()) != 0 {
			t.Errorf("%s: the session has not ended", text)
		}
		for began := time.Now(); runs(s.Target.PID); time.Sleep(time.Millisecond) {
			if time.Since(began) > patience {
				t.Fatalf("%s: the process runs on", text)
			}
		}
	}
	program := debuggertest.Start(t, "ticker.c")
	process, err := proc.Attach(t.Context(), program.PID, proc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := add(t, r, process)
	v := serve(t, r, s, gdbremote.Options{Role: session.Owner})
	c := v.talk(t)
	if got := c.ask("qAttached"); got != "1" {
		t.Errorf("qAttached: %q, want 1", got)
	}
	if got := c.ask("D"); got != "OK" {
		t.Errorf("D: %q", got)
	}
	v.wait(t)
	if program.Ask("ticks") == "" || len(r.All()) != 0 {
		t.Error("the process does not run on after D")
	}
}
