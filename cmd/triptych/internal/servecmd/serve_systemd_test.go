package servecmd

import (
	"net"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// A socket that others can reach is one that a server without TLS refuses, whatever
// --listen says.
func TestSystemdSocketIsPublic(t *testing.T) {
	socket, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	var f serveFlags
	f.register(pflag.NewFlagSet("serve", pflag.ContinueOnError))
	f.plain = true
	if _, err := f.check(); err != nil {
		t.Fatalf("on loopback: %v", err)
	}
	f.passed, f.listen = socket, socket.Addr().String()
	if _, err := f.check(); err == nil || !strings.Contains(err.Error(), "in the clear") {
		t.Errorf("on %s: %v, want a refusal", socket.Addr(), err)
	}
}
