package gdbremote_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
)

// atBreakpoint returns a session that stands at the present, at a breakpoint of its own, after
// some recorded steps.
func atBreakpoint(t *testing.T, r *session.Registry) *session.Session {
	t.Helper()
	s := launch(t, r, debuggertest.Build(t, "sums.c"))
	within(t, s, func() (proc.Stop, error) {
		stop, _, err := s.Stepper.RunTo(t.Context(), proc.BreakpointSpec{Address: s.Inspector.MainFunction(t.Context())})
		return stop, err
	})
	within(t, s, func() (proc.Stop, error) {
		return atAdd(func(s *session.Session, t *testing.T) (proc.Stop, error) { return s.Stepper.Continue(t.Context()) })(t, s)
	})
	within(t, s, func() (proc.Stop, error) { return s.Stepper.Forward(t.Context(), 3) })
	return s
}

// No packet of a mirror changes a process that stands at the present, where an owner or a
// client in control could.
func TestMirrorRefusesEachPacket(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	s := atBreakpoint(t, r)
	before := sessiontest.Digest(t, s)
	pc, sp := s.Target.CurrentStop().Address, uint64(0)
	if regs, err := s.Target.View.Regs(0); err == nil {
		sp = regs.RSP
	}
	command := func(text string) string { return "qRcmd," + hex.EncodeToString([]byte(text)) }
	const refused, ignored = "E.this is a mirror", "OK"
	waits := func(text string) [2]string { return [2]string{text, "T"} } // for the session, until interrupted
	packets := [][2]string{
		{"M" + hexOf(sp) + ",1:00", refused}, {"X" + hexOf(sp) + ",1:\x01", refused}, {"P0=0100000000000000", refused},
		{"P10=0000000000000000", refused}, {"G" + strings.Repeat("00", 164), refused},
		{"Z0," + hexOf(pc) + ",1", ignored}, {"Z1," + hexOf(pc) + ",1", ignored}, {"Z2," + hexOf(sp) + ",8", ignored},
		{"Z4," + hexOf(sp) + ",8", ignored}, {"z0," + hexOf(pc) + ",1", ignored}, {"QCatchSyscalls:1", ignored},
		{command("seek 0"), "changes nothing"}, {command("record on"), "changes nothing"}, {command("resume-here"), "changes nothing"},
		waits("c"), waits("s"), waits("C0b"), waits("S0b"), waits("bc"), waits("bs"), waits("vCont;c"), waits("vCont;s:" + hexOf(uint64(s.Target.PID))),
		waits("vCont;C0b"), waits("vCont;r" + hexOf(pc) + "," + hexOf(pc+9)), waits("vCont;c:" + hexOf(uint64(s.Target.PID))),
		{"vRun;2f62696e2f7472756500", ""}, {"vAttach;1", ""}, {"vFile:open:2f746d702f78,41,1ff", ""}, {"R00", ""}, {"r", ""},
		{"QPassSignals:e", ""}, {"vCtrlC", ""}, {"QEnvironmentReset", ""}, {"_M1000,rwx", ""}, {"QSaveRegisterState", ""}, {"t" + hexOf(pc) + ":00", ""},
	}
	v := serve(t, r, s, gdbremote.Options{Role: session.Mirror})
	c := v.talk(t)
	for _, p := range packets {
		if err := c.c.Write([]byte(p[0])); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(p[1], "T") {
			if _, err := c.conn.Write([]byte{3}); err != nil {
				t.Fatal(err)
			}
		}
		answer := c.reply()
		if strings.HasPrefix(p[0], "qRcmd") {
			text, _ := hex.DecodeString(answer)
			answer = string(text)
		}
		if !strings.Contains(answer, p[1]) || p[1] == "" && answer != "" {
			t.Errorf("%q: %q, want %q", p[0], answer, p[1])
		}
		if after := sessiontest.Digest(t, s); after != before {
			t.Fatalf("%q has changed the session:\n%s\nwas\n%s", p[0], after, before)
		}
	}
	if got := c.ask("D"); got != "OK" {
		t.Errorf("D: %q", got)
	}
	v.wait(t)
	for _, end := range []string{"k", "vKill;1"} { // they disconnect the client, and nothing else
		v := serve(t, r, s, gdbremote.Options{Role: session.Mirror})
		v.talk(t).ask(end)
		v.wait(t)
		if after := sessiontest.Digest(t, s); after != before || !runs(s.Target.PID) {
			t.Errorf("%q has changed the session:\n%s\nwas\n%s", end, after, before)
		}
	}
}
