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

// ErrHung is returned without asking a server that has not answered a command for
// [hungAfter] and a ping for [pingWait]. Commands are sent again as soon as it
// answers a ping.
var ErrHung = errors.New("the server takes connections but does not answer")

const (
	// hungAfter is the time after which a command has the server pinged, and
	// pingWait the longest time for the answer. Together they stay below the two
	// seconds within which a call must be refused.
	hungAfter = time.Second
	pingWait  = 700 * time.Millisecond
	// pingAgain is the shortest time between two pings of a server that hangs.
	pingAgain = 50 * time.Millisecond
	// dropAgain is the shortest time between two rounds of closing connections.
	dropAgain = 100 * time.Millisecond
	// slowestRate is the number of bytes of a command that a server on a busy machine
	// works through in a second. Servers execute one command at a time and answer no
	// ping meanwhile: the script that stores a ruleset of 16 MiB has eight seconds more.
	slowestRate = 2 << 20
	// mostExcused limits how long a server is excused that answers none of the large
	// commands, however many are sent.
	mostExcused = 2 * ioTimeout
)

// A link watches the connections of one client to one server. It is a hook of that
// client and makes its connections. It closes all of them
//
//   - when an answer shows that the other end is no primary, or is not ready: after a
//     failover behind one address, only a new connection reaches the new primary;
//   - when the server hangs, so that the callers that wait get an error.
//
// A link has no goroutine but a ping that ends within [pingWait].
type link struct {
	connect func(ctx context.Context, network, addr string) (net.Conn, error)
	ping    func(ctx context.Context) error // over a connection of its own
	log     *slog.Logger

	mu      sync.Mutex
	conns   map[*conn]struct{}
	dropped time.Time // when connections were last closed because of an answer
	hung    bool
	pinging bool
	pinged  time.Time // when the last ping ended
	large   int       // commands under way that excuse the server
	excused time.Time // until when they do, if there are any
	lively  time.Time // when the first of them was sent, or the last one was answered
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

// judge closes all connections if an answer shows that they lead to a server that
// cannot serve. In a transaction the commands say why and the end of it does not.
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

// unservingAnswers begin the errors of a server that is no primary, or has not loaded
// its data.
var unservingAnswers = []string{"READONLY ", "LOADING ", "MASTERDOWN "}

// unserving returns the code of such an error, "" for any other. Servers before
// version 7 quote the error in that of the script which met it.
func unserving(err error) string {
	text := err.Error()
	for _, code := range unservingAnswers {
		if strings.HasPrefix(text, code) || strings.HasPrefix(text, "ERR Error running script") && strings.Contains(text, "-"+code) {
			return strings.TrimSpace(code)
		}
	}
	return ""
}

// closeLocked closes all connections. The client library finds them closed and
// replaces them.
func (l *link) closeLocked() {
	for c := range l.conns {
		_ = c.Conn.Close() // its user gets the error
		c.gone.Store(true)
	}
	clear(l.conns)
}

// suspect pings the server, and takes it for hung if it does not answer. While large
// commands excuse the server it returns how long they still do instead.
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

// refuses reports whether the server hangs, and sees to it that it is pinged.
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

// tryPing pings the server once. The caller has set pinging. If the server did not
// answer because of a large command that was sent meanwhile, tryPing returns how long
// that excuses it.
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

// isTimeout reports whether an error says that the other end did not answer in time:
// a server that refuses connections does not hang.
func isTimeout(err error) bool {
	netErr, ok := errors.AsType[net.Error](err)
	return errors.Is(err, context.DeadlineExceeded) || ok && netErr.Timeout()
}

// dial makes a connection that the link can close.
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
	c := &conn{Conn: raw, link: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hung { // meanwhile
		return nil, errors.Join(ErrHung, raw.Close())
	}
	l.conns[c] = struct{}{}
	return c, nil
}
