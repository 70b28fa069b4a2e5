package expose

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
)

// unixPrefix begins the address of a socket of the Unix domain.
const unixPrefix = "unix:"

// IsAddress reports whether a text is an address for Listen, and not the path
// of a program: unix:PATH or HOST:PORT.
func IsAddress(text string) bool {
	if strings.HasPrefix(text, unixPrefix) {
		return true
	}
	_, port, err := net.SplitHostPort(text)
	return err == nil && port != "" && !strings.ContainsRune(text, os.PathSeparator)
}

// A Listener accepts clients of the user who runs this program.
type Listener struct {
	net.Listener
	log    *slog.Logger
	folder string // to remove with the socket, "" for none
}

// Listen listens at an address: unix:PATH, HOST:PORT with a loopback address,
// or "" for a socket in a folder of its own.
func Listen(ctx context.Context, address string, log *slog.Logger) (*Listener, error) {
	if path, ok := strings.CutPrefix(address, unixPrefix); ok {
		return listenUnix(ctx, path, "", log)
	}
	if address != "" {
		return listenTCP(ctx, address, log)
	}
	folder, err := os.MkdirTemp("", "triptych-")
	if err != nil {
		return nil, err
	}
	l, err := listenUnix(ctx, filepath.Join(folder, "socket"), folder, log)
	if err != nil {
		return nil, errors.Join(err, os.Remove(folder))
	}
	return l, nil
}

func listenUnix(ctx context.Context, path, folder string, log *slog.Logger) (*Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	// Until the mode is set, the check of the client's user keeps others out.
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &Listener{l, log, folder}, nil
}

// listenTCP refuses addresses at which other machines could connect.
func listenTCP(ctx context.Context, address string, log *slog.Logger) (*Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("%s is not a loopback address: the protocol has no password; forward a port or socket with ssh -L instead", host)
	}
	if !peersKnown {
		return nil, errors.New("on this system the user of a TCP client is not known; use unix:PATH")
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	return &Listener{l, log, ""}, nil
}

// Address returns the address as gdb's "target remote" takes it.
func (l *Listener) Address() string { return l.Addr().String() }

// Accept returns the next client of this user. Others are disconnected.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		uid, err := peer(conn)
		if err == nil && uid == os.Getuid() {
			return conn, nil
		}
		l.log.Warn("a client of another user was disconnected", "addr", l.Address(), "uid", uid, "err", err)
		_ = conn.Close()
	}
}

// Close stops listening and removes the socket.
func (l *Listener) Close() error {
	err := l.Listener.Close()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	if l.folder != "" {
		if gone := os.Remove(l.folder); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}
