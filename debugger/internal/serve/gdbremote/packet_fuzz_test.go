package gdbremote_test

import (
	"net"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote/packet"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
)

// dialStill serves a client with a target that stands still.
func dialStill(t testing.TB) *packet.Conn {
	t.Helper()
	r := sessiontest.NewRegistry(t)
	s := sessiontest.AddStill(t, r)
	client, server := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- gdbremote.Serve(t.Context(), server, r, s, gdbremote.Options{Role: session.Control}) }()
	t.Cleanup(func() {
		_ = client.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	c := packet.NewConn(client)
	if err := c.Write([]byte("QStartNoAckMode")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(); err != nil {
		t.Fatal(err)
	}
	c.StopAcks()
	return c
}

// The replies of the protocol, to the byte, for a target that stands still.
func TestReplies(t *testing.T) {
	c := dialStill(t)
	for _, tt := range []struct{ packet, reply string }{
		{"?", "T0bthread:7;06:0000000000000000;07:0010000000000000;10:0010000000000000;"},
		{"qSupported:multiprocess+;swbreak+;xmlRegisters=i386", "PacketSize=10000;QStartNoAckMode+;QCatchSyscalls+;multiprocess+;swbreak+;hwbreak+;exec-events+;vContSupported+;" +
			"ReverseStep+;ReverseContinue+;qXfer:features:read+;qXfer:auxv:read+;qXfer:exec-file:read+;qXfer:libraries-svr4:read+;qXfer:siginfo:read+;qXfer:threads:read+"},
		{"?", "T0bthread:p7.7;06:0000000000000000;07:0010000000000000;10:0010000000000000;"},
		{"qC", "QCp7.7"},
		{"qfThreadInfo", "mp7.7"},
		{"qsThreadInfo", "l"},
		{"qAttached:7", "1"},
		{"Hgp7.7", "OK"},
		{"Hgp7.8", "E.no such thread"},
		{"Hgp8.7", "E22"},
		{"Hc-1", "OK"},
		{"H", "E22"},
		{"Tp7.7", "OK"},
		{"p10", "0010000000000000"},
		{"p28", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
		{"pffff", "E22"},
		{"m1000,1", "90"},
		{"m2000,1", "E14"},
		{"m1000", "E22"},
		{"X1000,0:", "OK"},
		{"X1000,1:a", "E.No process: this session is a core file, /tmp/core: it can be looked at, not moved or changed"},
		{"M1000,1:zz", "E22"},
		{"M1000,2:00", "E22"},
		{"Z0,1000,1", "E.No process: this session is a core file, /tmp/core: it can be looked at, not moved or changed"},
		{"Z9,1000,1", ""},
		{"Z0", "E22"},
		{"vCont?", "vCont;c;C;s;S;r"},
		{"vCont;c", "E.No process: this session is a core file, /tmp/core: it can be looked at, not moved or changed"},
		{"vCont;", "E22"},
		{"vCont;q", "E22"},
		{"bc", "E.No process: this session is a core file, /tmp/core: it can be looked at, not moved or changed"},
		{"qXfer:features:read:other.xml:0,10", "E00"},
		{"qXfer:exec-file:read:7:0,fff", "l"},
		{"qXfer:threads:read::0,fff", `l<threads><thread id="p7.7" name="&lt;&amp;&#34;&gt;"></thread></threads>`},
		{"qXfer:threads:read::0,9", "m<threads>"},
		{"qXfer:threads:read::ffffffffffffffff,9", "l"},
		{"qXfer:nothing:read::0,9", ""},
		{"qMemoryRegionInfo:1000", "start:1000;size:1000;permissions:;name:;"},
		{"qMemoryRegionInfo:0", "start:0;size:1000;"},
		{"qMemoryRegionInfo:2000", "start:2000;size:ffffffffffffe000;"},
		{"vMustReplyEmpty", ""},
		{"", ""},
	} {
		if err := c.Write([]byte(tt.packet)); err != nil {
			t.Fatal(err)
		}
		got, err := c.Read()
		if err != nil || string(got.Data) != tt.reply {
			t.Errorf("%s: %q, %v, want %q", tt.packet, got.Data, err, tt.reply)
		}
	}
}

// Whatever a client sends gets one reply, or ends the connection.
func FuzzPackets(f *testing.F) {
	for _, seed := range []string{"g", "G00", "P0=1", "vCont;s:p7.7;c", "vCont;r1000,1001", "Hg", "z0,1", "qRcmd,73", "C0b", "qXfer:a:read:b:0", "T", "k", "D;7"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1024 {
			t.Skip("longer than what is of interest")
		}
		c := dialStill(t)
		if err := c.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		for {
			p, err := c.Read()
			if err != nil {
				return // k and D
			}
			if text := string(p.Data); text == "OK" || len(text) == 0 || text[0] != 'O' {
				return
			}
		}
	})
}
