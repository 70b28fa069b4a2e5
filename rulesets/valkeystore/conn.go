package valkeystore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	dialTimeout = 3 * time.Second
	opTimeout   = 5 * time.Second
)

// schemes are the URL schemes served, and what the client calls them.
var schemes = map[string]string{
	"valkey": "redis", "valkeys": "rediss", "redis": "redis", "rediss": "rediss",
	"valkey+cluster": "redis", "valkeys+cluster": "rediss", "redis+cluster": "redis", "rediss+cluster": "rediss",
	"valkey+sentinel": "redis", "valkeys+sentinel": "rediss", "redis+sentinel": "redis", "rediss+sentinel": "rediss",
	"unix": "unix",
}

// Serves reports whether URLs with that scheme name a store of this package.
func Serves(scheme string) bool { return schemes[scheme] != "" }

// URLFromEnv is the URL that the documented variables VALKEY_HOST and
// VALKEY_PORT mean.
func URLFromEnv(host, port string) string {
	return "valkey://" + net.JoinHostPort(cmp.Or(host, "localhost"), cmp.Or(port, "6379"))
}

// connect makes a client for a URL and sees whether the server answers. No
// error shows the password.
func connect(ctx context.Context, raw string, log *slog.Logger) (redis.UniversalClient, int, error) {
	client, db, err := clientFor(raw, log)
	if err != nil {
		return nil, 0, fmt.Errorf("failed to connect to Valkey: %w", err)
	}
	ctx, stop := context.WithTimeout(ctx, dialTimeout)
	defer stop()
	if err := client.Ping(ctx).Err(); err != nil {
		return nil, 0, fmt.Errorf("failed to connect to Valkey: %w", errors.Join(err, client.Close()))
	}
	return client, db, nil
}

func clientFor(raw string, log *slog.Logger) (redis.UniversalClient, int, error) {
	routeLog(log)
	scheme, rest, _ := strings.Cut(raw, ":")
	plain := schemes[scheme] + ":" + rest
	switch _, topology, _ := strings.Cut(scheme, "+"); topology {
	case "cluster":
		o, err := redis.ParseClusterURL(plain)
		if err != nil {
			return nil, 0, safe(err)
		}
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout = dialTimeout, opTimeout, opTimeout
		o.ContextTimeoutEnabled, o.MaintNotificationsConfig = true, noMaintenance()
		return redis.NewClusterClient(o), 0, nil
	case "sentinel":
		o, err := redis.ParseFailoverURL(plain)
		if err != nil {
			return nil, 0, safe(err)
		}
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.ContextTimeoutEnabled = dialTimeout, opTimeout, opTimeout, true
		return redis.NewFailoverClient(o), o.DB, nil
	}
	o, err := redis.ParseURL(plain)
	if err != nil {
		return nil, 0, safe(err)
	}
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.DialerRetries = dialTimeout, opTimeout, opTimeout, 1
	o.ContextTimeoutEnabled, o.MaintNotificationsConfig = true, noMaintenance()
	return redis.NewClient(o), o.DB, nil
}

func noMaintenance() *maintnotifications.Config {
	return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}

// safe leaves the URL out of an error of its parser: it may hold a password.
func safe(err error) error {
	if parse, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("the store's URL: %w", parse.Err)
	}
	return fmt.Errorf("the store's URL: %w", err)
}

// routeLog sends what the client library logs to ours; its logger is one for
// the whole process.
func routeLog(log *slog.Logger) {
	logOnce.Do(func() { redis.SetLogger(logger{log}) })
}

var logOnce sync.Once

type logger struct{ log *slog.Logger }

// Printf implements the client library's logger.
func (l logger) Printf(ctx context.Context, format string, args ...any) {
	l.log.DebugContext(ctx, "client library", "component", "valkey", "text", fmt.Sprintf(format, args...))
}
