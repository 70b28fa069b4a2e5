package valkeytest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// The ports that tests use: below those that systems choose by themselves for
// connections and for listeners at port 0, so that none of those takes a port between
// the choice and its use. A node of a cluster listens at a second port, busOffset above
// the first.
const (
	firstPort = 12_000
	ports     = 10_000
	busOffset = 10_000
)

// FreeAddr returns an address of the loopback whose port is free. Until the test ends
// no other call returns it, in this process or in another one, also while no server
// listens there.
func FreeAddr(t testing.TB) string {
	t.Helper()
	addr, mark := reserveAddr(t)
	t.Cleanup(func() { _ = mark.Close() }) // it carries no data
	return addr
}

// reserveAddr returns an address of the loopback whose port is free, and keeps it from
// other calls until the mark is closed.
func reserveAddr(t testing.TB) (addr string, mark net.PacketConn) {
	t.Helper()
	for range ports {
		port := firstPort + rand.IntN(ports)
		mark, err := reserve(t, port)
		if err != nil {
			continue
		}
		return loopback(port), mark
	}
	t.Fatal("no port is free")
	return "", nil
}

// reserve binds the port for UDP, which nothing here uses otherwise: the kernel lets one
// process do so and undoes it when that ends. Then it checks that TCP is free, too.
func reserve(t testing.TB, port int) (mark net.PacketConn, err error) {
	t.Helper()
	var config net.ListenConfig
	mark, err = config.ListenPacket(t.Context(), "udp", loopback(port))
	if err != nil {
		return nil, err
	}
	for _, used := range []int{port, port + busOffset} {
		l, err := config.Listen(t.Context(), "tcp", loopback(used))
		if err != nil {
			_ = mark.Close() // it carries no data
			return nil, err
		}
		_ = l.Close() // it has no connections
	}
	return mark, nil
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
