package valkeytest_test

import (
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// Each address is returned once and can be listened at, with the second port of a
// cluster's node. Of 300 numbers below 10,000 that are chosen by chance, some are the
// same: 300*299/2/10,000, which is 4.5 pairs.
func TestFreeAddr(t *testing.T) {
	seen := map[string]bool{}
	for range 300 {
		addr := valkeytest.FreeAddr(t)
		if seen[addr] {
			t.Errorf("%s is returned twice", addr)
		}
		seen[addr] = true
		host, text, err := net.SplitHostPort(addr)
		if err != nil || host != "127.0.0.1" {
			t.Fatalf("%s, %v", addr, err)
		}
		port, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, used := range []int{port, port + 10_000} {
			l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", net.JoinHostPort(host, strconv.Itoa(used)))
			if err != nil {
				t.Fatal(err)
			}
			_ = l.Close() // it has no connections
			chosenByKernel(t, used)
		}
	}
}

// chosenByKernel fails the test if Linux gives the port to connections, and to listeners
// that name none: then it may be taken at any time.
func chosenByKernel(t *testing.T, port int) {
	t.Helper()
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return // another system
	}
	bounds := strings.Fields(string(text))
	if first, err := strconv.Atoi(bounds[0]); err == nil && first == 32768 && port >= first { // Linux's default
		t.Errorf("port %d is one that the kernel chooses", port)
	}
}
