package expose

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// peersKnown reports whether the user of a TCP client can be found.
const peersKnown = true

// peer returns the user of a client.
func peer(conn net.Conn) (int, error) {
	if unix, ok := conn.(*net.UnixConn); ok {
		return unixPeer(unix)
	}
	client, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return -1, err
	}
	server, err := netip.ParseAddrPort(conn.LocalAddr().String())
	if err != nil {
		return -1, err
	}
	return tcpPeer(client, server)
}

func unixPeer(conn *net.UnixConn) (int, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return -1, err
	}
	var ucred *syscall.Ucred
	var credErr error
	err = raw.Control(func(fd uintptr) {
		ucred, credErr = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err = errors.Join(err, credErr); err != nil {
		return -1, err
	}
	return int(ucred.Uid), nil
}

// tcpPeer finds the user of the client's end of a connection in /proc/net/tcp
// or tcp6, see proc_net_tcp(5).
func tcpPeer(client, server netip.AddrPort) (int, error) {
	table := "/proc/net/tcp"
	if client.Addr().Is6() {
		table = "/proc/net/tcp6"
	}
	text, err := os.ReadFile(table)
	if err != nil {
		return -1, err
	}
	return findPeer(string(text), client, server)
}

// Columns of the table.
const (
	columnLocal  = 1
	columnRemote = 2
	columnUser   = 7
)

func findPeer(table string, client, server netip.AddrPort) (int, error) {
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) > columnUser && fields[columnLocal] == procAddress(client) && fields[columnRemote] == procAddress(server) {
			return strconv.Atoi(fields[columnUser])
		}
	}
	return -1, fmt.Errorf("the connection from %s is not in the table of the kernel", client)
}

// procAddress formats an address as the table has it: words of 4 bytes in the
// order of the processor.
func procAddress(a netip.AddrPort) string {
	b := a.Addr().AsSlice()
	for word := range slices.Chunk(b, 4) {
		slices.Reverse(word)
	}
	return fmt.Sprintf("%s:%04X", strings.ToUpper(hex.EncodeToString(b)), a.Port())
}
