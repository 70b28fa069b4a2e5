package servecmd

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
)

// adopt takes the socket that systemd passed (sd_listen_fds(3)), if there is one. Its
// address is the one that counts then: who can connect decides what is safe.
func (f *serveFlags) adopt() error {
	passed, err := activation.Listeners()
	switch {
	case err != nil:
		return fmt.Errorf("taking the sockets of systemd: %w", err)
	case len(passed) == 0:
		return nil
	case len(passed) > 1 || passed[0] == nil:
		return fmt.Errorf("systemd passed %d sockets, want one that takes TCP connections", len(passed))
	}
	f.passed, f.listen = passed[0], passed[0].Addr().String()
	return nil
}

// listener returns the socket of systemd, else a listener at the address.
func (f *serveFlags) listener(ctx context.Context) (net.Listener, error) {
	if f.passed != nil {
		return f.passed, nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", f.listen)
	if err != nil {
		return nil, cmderr.WithHints(err, "choose another address with --listen")
	}
	return listener, nil
}

// notify tells systemd about the server (sd_notify(3)); without systemd it does
// nothing.
func notify(state string, log *slog.Logger) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("systemd cannot be told", "state", state, "err", err)
	}
}

// keepWatchdog tells systemd at half the interval of WatchdogSec that the program
// lives, until ctx is done. It says nothing about the store: a restart would not
// bring that back.
func keepWatchdog(ctx context.Context, log *slog.Logger) error {
	interval, err := daemon.SdWatchdogEnabled(false)
	if err != nil || interval == 0 {
		return err
	}
	ticker := time.NewTicker(interval / 2)
	defer ticker.Stop()
	for {
		notify(daemon.SdNotifyWatchdog, log)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
