package expose

import (
	"bufio"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote/packet"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
)

// The table is that of proc_net_tcp(5): 127.0.0.1:2345 is accepted from
// 127.0.0.1:40000, of user 1000.
const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0929 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   1: 0100007F:0929 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 2 1 0 20 4 30 10 -1
   2: 0100007F:9C40 0100007F:0929 01 00000000:00000000 00:00000000 00000000  1000        0 3 1 0 20 4 30 10 -1
`

func TestFindPeer(t *testing.T) {
	client, server := netip.MustParseAddrPort("127.0.0.1:40000"), netip.MustParseAddrPort("127.0.0.1:2345")
	if uid, err := findPeer(table, client, server); err != nil || uid != 1000 {
		t.Errorf("user %d, %v, want 1000: that of the client's end", uid, err)
	}
	if uid, err := findPeer(table, netip.MustParseAddrPort("127.0.0.1:40001"), server); err == nil {
		t.Errorf("user %d of a connection that is not there", uid)
	}
	if got, want := procAddress(netip.MustParseAddrPort("[::1]:80")), "00000000000000000000000001000000:0050"; got != want {
		t.Errorf("::1 is %s, want %s", got, want)
	}
}

// Other machines and programs cannot be meant.
func TestAddresses(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	for _, address := range []string{"0.0.0.0:0", "192.0.2.1:0", ":::0", "example.org:0", "127.0.0.1"} {
		if l, err := Listen(t.Context(), address, log); err == nil {
			t.Errorf("%s is listened at", address)
			_ = l.Close()
		}
	}
	for text, want := range map[string]bool{
		"unix:/tmp/x": true, "127.0.0.1:2345": true, "localhost:2345": true, ":2345": true, "[::1]:2345": true,
		"./shop": false, "shop": false, "/usr/bin/a:b": false, "shop:": false,
	} {
		if IsAddress(text) != want {
			t.Errorf("IsAddress(%q) is %v, want %v", text, !want, want)
		}
	}
}

// Only this user can reach a socket, and it goes with its listener.
func TestListen(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	for _, address := range []string{"", "localhost:0"} {
		l, err := Listen(t.Context(), address, log)
		if err != nil {
			t.Fatal(err)
		}
		network := l.Addr().Network()
		client, err := new(net.Dialer).DialContext(t.Context(), network, l.Address())
		if err != nil {
			t.Fatal(err)
		}
		server, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if network == "unix" {
			for path, want := range map[string]os.FileMode{l.Address(): 0o600, filepath.Dir(l.Address()): 0o700} {
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
					t.Errorf("%s: %v, %v, want mode %o", path, info, err, want)
				}
			}
		}
		if err := errors.Join(client.Close(), server.Close(), l.Close(), l.Close()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Dir(l.Address())); network == "unix" && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the folder of the socket is still there: %v", err)
		}
	}
}

// A session is exposed once for each use, to several clients, until it ends.
func TestExpose(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	r := sessiontest.NewRegistry(t)
	s := sessiontest.AddStill(t, r)
	e := &Exposer{Sessions: r, Log: log}
	sockets := map[string]bool{}
	for _, control := range []bool{false, true, false} {
		socket, err := e.Expose(t.Context(), s, GDB, control)
		if err != nil {
			t.Fatal(err)
		}
		sockets[socket] = true
	}
	if len(sockets) != 2 {
		t.Errorf("%d sockets, want one for looking and one for control", len(sockets))
	}
	var clients []*packet.Conn
	for socket := range sockets {
		for range 2 {
			conn, err := new(net.Dialer).DialContext(t.Context(), "unix", socket)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.Close() })
			c := packet.NewConn(conn)
			if err := c.Write([]byte("?")); err != nil {
				t.Fatal(err)
			}
			if p, err := c.Read(); err != nil || !strings.HasPrefix(string(p.Data), "T") {
				t.Errorf("?: %q, %v", p.Data, err)
			}
			clients = append(clients, c)
		}
	}
	if err := r.EndAll("", true); err != nil {
		t.Error(err)
	}
	e.Close()
	for _, c := range clients {
		if p, err := c.Read(); err == nil {
			t.Errorf("after the end of the session: %q", p.Data)
		}
	}
	for socket := range sockets {
		if _, err := os.Stat(socket); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", socket, err)
		}
	}
	if _, err := e.Expose(t.Context(), s, GDB, true); err == nil {
		t.Error("a session is exposed after Close")
	}
}

// Connections are recorded, with their ends; a client whose connection cannot be
// recorded is disconnected.
func TestConnectionsAreRecorded(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	s := sessiontest.AddStill(t, r)
	records, answers := make(chan Connection, 2), make(chan error, 2)
	e := &Exposer{Sessions: r, Log: slog.New(slog.DiscardHandler), Record: func(c Connection) error {
		records <- c
		return <-answers
	}}
	want := Connection{Session: s.ID, Protocol: GDB, Control: true}
	for _, fails := range []error{nil, errors.New("the trail is away")} {
		answers <- fails
		answers <- nil // to the end of the connection
		socket, err := e.Expose(t.Context(), s, GDB, true)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := new(net.Dialer).DialContext(t.Context(), "unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		if got := <-records; got != want {
			t.Errorf("connected: %+v, want %+v", got, want)
		}
		if fails != nil {
			if n, err := conn.Read(make([]byte, 1)); err == nil {
				t.Errorf("the client read %d bytes", n)
			}
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		if ended := (Connection{want.Session, want.Protocol, want.Control, true}); fails == nil {
			if got := <-records; got != ended {
				t.Errorf("disconnected: %+v, want %+v", got, ended)
			}
		}
	}
	if err := r.EndAll("", true); err != nil {
		t.Error(err)
	}
	e.Close()
}

// An editor connects to a port of loopback, follows the session and cannot move
// it.
func TestExposeToEditor(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	r := sessiontest.NewRegistry(t)
	s := sessiontest.AddStill(t, r)
	e := &Exposer{Sessions: r, Log: log}
	socket, err := e.Expose(t.Context(), s, DAP, false)
	if err != nil {
		t.Fatal(err)
	}
	if at, err := netip.ParseAddrPort(socket); err != nil || !at.Addr().IsLoopback() {
		t.Errorf("the session is exposed at %s, want a port of loopback", socket)
	}
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	in := bufio.NewReader(conn)
	for seq, command := range []string{"initialize", "attach", "configurationDone", "continue"} {
		request := &godap.Request{ProtocolMessage: godap.ProtocolMessage{Seq: seq + 1, Type: "request"}, Command: command}
		if err := godap.WriteProtocolMessage(conn, request); err != nil {
			t.Fatal(err)
		}
		r := responseTo(t, in, seq+1)
		if moves := command == "continue"; r.Success == moves || moves && !strings.Contains(r.Message, "mirror") {
			t.Errorf("%s: %+v", command, r)
		}
	}
	if err := r.EndAll("", true); err != nil {
		t.Error(err)
	}
	for ended := false; !ended; { // the editor is told before it is disconnected
		m, err := godap.ReadProtocolMessage(in)
		if err != nil {
			t.Fatal(err)
		}
		_, ended = m.(*godap.TerminatedEvent)
	}
	e.Close()
}

// responseTo returns the response to a request, and drops events before it.
func responseTo(t *testing.T, in *bufio.Reader, seq int) *godap.Response {
	t.Helper()
	for {
		m, err := godap.ReadProtocolMessage(in)
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := m.(godap.ResponseMessage); ok && r.GetResponse().RequestSeq == seq {
			return r.GetResponse()
		}
	}
}
