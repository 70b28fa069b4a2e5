package procfs_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
)

// Files have their paths, sockets their protocols and addresses.
func TestDescriptor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if got := procfs.Descriptor(os.Getpid(), int(file.Fd())); got != path {
		t.Errorf("file: %q, want %q", got, path)
	}
	var config net.ListenConfig
	for network, address := range map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0", "unix": filepath.Join(t.TempDir(), "socket")} {
		listener, err := config.Listen(context.Background(), network, address)
		if err != nil {
			t.Logf("%s: %v", network, err) // a machine may have no IPv6
			continue
		}
		defer func() { _ = listener.Close() }()
		raw, err := listener.(interface{ File() (*os.File, error) }).File()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = raw.Close() }()
		want := "TCP " + listener.Addr().String()
		if network == "unix" {
			want = "unix socket " + listener.Addr().String()
		}
		if got := procfs.Descriptor(os.Getpid(), int(raw.Fd())); got != want {
			t.Errorf("%s: %q, want %q", network, got, want)
		}
	}
	if got := procfs.Descriptor(os.Getpid(), 1<<20); got != "" {
		t.Errorf("no descriptor: %q", got)
	}
}
