package valkeyconn

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrHung is returned without sending a command to a server that has not answered
// a command for [hungAfter] and then a ping for [pingWait]. It ends when the
// server answers a ping.
var ErrHung = errors.New("the server takes connections but does not answer")

const (
	// hungAfter is the time after which an unanswered command causes a ping,
	// and pingWait the limit for the answer. Their sum stays below two
	// seconds, within which a call must fail.
	hungAfter = time.Second
	pingWait  = 700 * time.Millisecond
	// pingAgain is the minimum interval of pings to a server that hangs.
	pingAgain = 50 * time.Millisecond
	// dropAgain is the minimum interval of closing all connections.
	dropAgain = 100 * time.Millisecond
	// slowestRate is the number of bytes of a command that a server on a busy
	// machine processes in a second. Servers execute one command at a time
	// and do not answer pings meanwhile: the script that stores a ruleset of
	// 16 MiB may take eight seconds more.
	slowestRate = 2 << 20
	// mostExcused limits the time for which large commands excuse a server
	// that answers none of them.
	mostExcused = 2 * ioTimeout
)

// A link monitors the connections of one client to one server. It is a hook of
// the client and dials its connections. It closes all of them
//
//   - when an answer shows that the server is not the primary or not ready: after a failover behind a single address, only new connections reach the new primary;
//   - when the server hangs, so that waiting callers get an error.
//
// A link has no goroutine other than a ping, which ends within [pingWait].
type link struct {
	connect func(ctx context.Context, network, addr string) (net.Conn, error)
	ping    func(ctx context.Context) error // over a connection of its own
	log     *slog.Logger

	mu      sync.Mutex
	conns   map[*conn]struct{}
	dropped time.Time // last time that connections were closed because of an answer
	hung    bool
	pinging bool
	pinged  time.Time // end of the last ping
	large   int       // number of commands in progress that excuse the server
	excused time.Time // end of the excuse, if large > 0
	lively  time.Time // when the first of them was sent, or the last one answered
}

func newLink(log *slog.Logger) *link {
	return &link{log: log, conns: map[*conn]struct{}{}}
}

// DialHook implements [redis.Hook].
func (l *link) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements [redis.Hook].
func (l *link) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if l.refuses() {
			cmd.SetErr(ErrHung)
			return ErrHung
		}
		done := l.watch(size(cmd))
		err := next(ctx, cmd)
		done(err == nil)
		l.judge(err, cmd)
		return err
	}
}

// ProcessPipelineHook implements [redis.Hook].
func (l *link) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if l.refuses() {
			for _, cmd := range cmds {
				cmd.SetErr(ErrHung)
			}
			return ErrHung
		}
		done := l.watch(size(cmds...))
		err := next(ctx, cmds)
		done(err == nil)
		l.judge(err, cmds...)
		return err
	}
}

// judge closes all connections if an answer shows that the server cannot serve.
// In a transaction, the errors of the commands show that and the error of EXEC
// does not.
func (l *link) judge(err error, cmds ...redis.Cmder) {
	if err == nil {
		return
	}
	reason := unserving(err)
	for _, cmd := range cmds {
		if cause := cmd.Err(); cause != nil && reason == "" {
			reason = unserving(cause)
		}
	}
	if reason == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); now.Sub(l.dropped) >= dropAgain {
		l.dropped = now
		l.log.Warn("the server is no primary or not ready; connecting again", "component", "valkey", "answer", reason, "connections", len(l.conns))
		l.closeLocked()
	}
}

// unservingAnswers lists the starts of errors from a server that is not a primary
// or has not loaded its data.
var unservingAnswers = []string{"READONLY ", "LOADING ", "MASTERDOWN "}

// unserving returns the code of such an error, or "" for others. Servers before
// version 7 quote the error within that of a script.
func unserving(err error) string {
	text := err.Error()
	for _, code := range unservingAnswers {
		if strings.HasPrefix(text, code) || strings.HasPrefix(text, "ERR Error running script") && strings.Contains(text, "-"+code) {
			return strings.TrimSpace(code)
		}
	}
	return ""
}

// closeLocked closes all connections. The client library detects that and
// replaces them.
func (l *link) closeLocked() {
	for c := range l.conns {
		_ = c.Conn.Close() // the user of the connection gets the error
		c.gone.Store(true)
	}
	clear(l.conns)
}

// suspect pings the server and marks it as hung if it does not answer. If large
// commands excuse the server, it returns the remaining time of the excuse
// instead.
func (l *link) suspect() (excused time.Duration) {
	l.mu.Lock()
	excused = l.excusedLocked()
	if excused > 0 || l.hung || l.pinging {
		l.mu.Unlock()
		return excused
	}
	l.pinging = true
	l.mu.Unlock()
	return l.tryPing()
}

// refuses reports whether the server hangs. If so, it makes sure that the server
// is pinged.
func (l *link) refuses() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.hung {
		return false
	}
	if !l.pinging && time.Since(l.pinged) >= pingAgain {
		l.pinging = true
		go l.tryPing() // ends within pingWait
	}
	return true
}

// tryPing pings the server once. The caller must have set pinging. If the server
// did not answer because of a large command that was sent meanwhile, tryPing
// returns the remaining time of that excuse.
func (l *link) tryPing() (excused time.Duration) {
	ctx, stop := context.WithTimeout(context.Background(), pingWait)
	defer stop()
	err := l.ping(ctx)
	hangs := isTimeout(err)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pinging, l.pinged = false, time.Now()
	if excused = l.excusedLocked(); hangs && !l.hung && excused > 0 {
		return excused
	}
	switch {
	case hangs && !l.hung:
		l.log.Warn("the server does not answer; commands fail until it does", "component", "valkey", "connections", len(l.conns))
		l.closeLocked()
	case !hangs && l.hung:
		l.log.Info("the server answers again", "component", "valkey")
	}
	l.hung = hangs
	return 0
}

// isTimeout reports whether an error is a timeout. A server that refuses
// connections does not hang.
func isTimeout(err error) bool {
	netErr, ok := errors.AsType[net.Error](err)
	return errors.Is(err, context.DeadlineExceeded) || ok && netErr.Timeout()
}

// forget removes a connection that is closed.
func (l *link) forget(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
}

// dial opens a connection that the link can close.
func (l *link) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	l.mu.Lock()
	hung := l.hung
	l.mu.Unlock()
	if hung {
		return nil, ErrHung
	}
	raw, err := l.connect(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: raw, forget: l.forget}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hung { // it was marked as hung meanwhile
		return nil, errors.Join(ErrHung, raw.Close())
	}
	l.conns[c] = struct{}{}
	return c, nil
}
