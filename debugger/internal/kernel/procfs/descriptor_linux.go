package procfs

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Descriptor names the file that a descriptor of a process is open on: its path, or of a
// socket its protocol and addresses; "" if there is none.
func Descriptor(pid, fd int) string {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, fd))
	if err != nil {
		return ""
	}
	inode, ok := strings.CutPrefix(path, "socket:[")
	if !ok {
		return path
	}
	for _, table := range []string{"tcp", "tcp6", "udp", "udp6", "unix"} {
		if name := socketIn(fmt.Sprintf("/proc/%d/net/%s", pid, table), table, strings.TrimSuffix(inode, "]")); name != "" {
			return name
		}
	}
	return path
}

// maxSockets bounds the sockets of a table that are searched: it has all of the machine.
const maxSockets = 100_000

// socketIn names a socket by the line of a table of sockets that has its inode.
func socketIn(path, table, inode string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // it was only read
	lines := bufio.NewScanner(f)
	for n := 0; lines.Scan() && n < maxSockets; n++ {
		if name, ok := socketName(table, inode, strings.Fields(lines.Text())); ok {
			return name
		}
	}
	return ""
}

// The columns of the tables of sockets (proc_net_tcp.rst of the kernel; unix(7)).
const (
	netLocal, netRemote, netInode = 1, 2, 9
	unixInode, unixPath           = 6, 7
)

// socketName names the socket of a line, if it has the inode.
func socketName(table, inode string, line []string) (string, bool) {
	if table == "unix" {
		if len(line) <= unixInode || line[unixInode] != inode {
			return "", false
		}
		return strings.Join(append([]string{"unix socket"}, line[unixPath:]...), " "), true
	}
	if len(line) <= netInode || line[netInode] != inode {
		return "", false
	}
	local, remote := netAddress(line[netLocal]), netAddress(line[netRemote])
	name := strings.ToUpper(strings.TrimSuffix(table, "6")) + " " + local.String()
	if remote.Port() != 0 {
		name += " to " + remote.String()
	}
	return name, true
}

// netAddress parses an address of a table of sockets: words of the processor's order in
// hexadecimal, and the port. It returns the zero value if text is none.
func netAddress(text string) netip.AddrPort {
	words, port, _ := strings.Cut(text, ":")
	b, err := hex.DecodeString(words)
	n, errPort := strconv.ParseUint(port, 16, 16)
	if err != nil || errPort != nil {
		return netip.AddrPort{}
	}
	for word := range slices.Chunk(b, 4) {
		slices.Reverse(word)
	}
	addr, _ := netip.AddrFromSlice(b)
	return netip.AddrPortFrom(addr.Unmap(), uint16(n))
}
