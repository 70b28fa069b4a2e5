package valkeyconn

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

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// schemes maps the URL schemes to the client library's names for them.
var schemes = map[string]string{
	"valkey": "redis", "valkeys": "rediss", "redis": "redis", "rediss": "rediss",
	"valkey+cluster": "redis", "valkeys+cluster": "rediss", "redis+cluster": "redis", "rediss+cluster": "rediss",
	"valkey+sentinel": "redis", "valkeys+sentinel": "rediss", "redis+sentinel": "redis", "rediss+sentinel": "rediss",
	"unix": "unix",
}

// Serves reports whether Dial supports URLs with a scheme.
func Serves(scheme string) bool { return schemes[scheme] != "" }

// URLFromEnv returns the URL for values of the variables VALKEY_HOST and
// VALKEY_PORT.
func URLFromEnv(host, port string) string {
	return "valkey://" + net.JoinHostPort(cmp.Or(host, "localhost"), cmp.Or(port, "6379"))
}

// Dial connects to the server of a URL and waits until it answers. db is the
// number of the database. The caller must close the client. Errors never include
// the password. Hooks of the context (see [WithHook]) see the commands of the client.
func Dial(ctx context.Context, url string, log *slog.Logger) (client redis.UniversalClient, db int, err error) {
	client, db, err = clientFor(url, log)
	if err != nil {
		return nil, 0, fmt.Errorf("failed to connect to Valkey: %w", err)
	}
	if hook, ok := ctx.Value(hookKey{}).(redis.Hook); ok {
		client.AddHook(hook)
	}
	ctx, stop := context.WithTimeout(ctx, dialTimeout)
	defer stop()
	if err := client.Ping(ctx).Err(); err != nil {
		return nil, 0, fmt.Errorf("failed to connect to Valkey: %w", errors.Join(err, client.Close()))
	}
	return client, db, nil
}

// hookKey is the key of the hook of a context.
type hookKey struct{}

// WithHook returns a context with which [Dial] gives its client a hook, such as one that measures
// the commands of all parts of a program that connect with it.
func WithHook(ctx context.Context, hook redis.Hook) context.Context {
	return context.WithValue(ctx, hookKey{}, hook)
}

func clientFor(raw string, log *slog.Logger) (redis.UniversalClient, int, error) {
	routeLog(log)
	scheme, plain, err := plainURL(raw)
	if err != nil {
		return nil, 0, err
	}
	plain, files, err := cutCredentials(plain)
	if err != nil {
		return nil, 0, err
	}
	switch _, topology, _ := strings.Cut(scheme, "+"); topology {
	case "cluster":
		return cluster(plain, files, log)
	case "sentinel":
		return sentinel(plain, files, log)
	}
	o, err := redis.ParseURL(plain)
	if err != nil {
		return nil, 0, fmt.Errorf("the store's URL: %w", err)
	}
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout = dialTimeout, ioTimeout, ioTimeout
	o.MaxRetries, o.DialerRetries = noRetries, 1
	o.ContextTimeoutEnabled, o.MaintNotificationsConfig = true, noMaintenance()
	o.CredentialsProviderContext = files.provider(o.Username)
	return single(o, files, log), o.DB, nil
}

// single returns the client of one server, or of one node of a cluster.
func single(o *redis.Options, files credentials, log *slog.Logger) *redis.Client {
	l := newLink(log)
	l.connect = files.connector(o.TLSConfig)
	alone := *o
	alone.PoolSize, alone.MinIdleConns, alone.PipelinePoolSize, alone.Dialer = 1, 0, -1, l.connect
	l.ping = func(ctx context.Context) error { return pingOnce(ctx, redis.NewClient(&alone)) }
	o.Dialer = l.dial
	client := redis.NewClient(o)
	client.AddHook(l)
	return client
}

// cluster returns the client of a cluster. Each node has a link of its own.
func cluster(plain string, files credentials, log *slog.Logger) (redis.UniversalClient, int, error) {
	o, err := redis.ParseClusterURL(plain)
	if err != nil {
		return nil, 0, fmt.Errorf("the store's URL: %w", err)
	}
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.DialerRetries = dialTimeout, ioTimeout, ioTimeout, 1
	o.ContextTimeoutEnabled, o.MaintNotificationsConfig = true, noMaintenance()
	o.ClusterStateReloadInterval = clusterReload
	o.CredentialsProviderContext = files.provider(o.Username)
	o.NewClient = func(node *redis.Options) *redis.Client { return single(node, files, log) }
	return redis.NewClusterClient(o), 0, nil
}

// sentinel returns the client of the primary of a set of sentinels.
func sentinel(plain string, files credentials, log *slog.Logger) (redis.UniversalClient, int, error) {
	o, err := redis.ParseFailoverURL(plain)
	if err != nil {
		return nil, 0, fmt.Errorf("the store's URL: %w", err)
	}
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.ContextTimeoutEnabled = dialTimeout, ioTimeout, ioTimeout, true
	o.MaxRetries, o.DialerRetries = noRetries, 1
	o.CredentialsProviderContext = files.provider(o.Username)
	l := newLink(log)
	l.connect = files.connector(o.TLSConfig)
	alone := *o
	alone.PoolSize, alone.MinIdleConns, alone.PipelinePoolSize, alone.Dialer = 1, 0, -1, l.connect
	l.ping = func(ctx context.Context) error { return pingOnce(ctx, redis.NewFailoverClient(&alone)) }
	o.Dialer = l.dial
	client := redis.NewFailoverClient(o)
	client.AddHook(l)
	return client, o.DB, nil
}

// pingOnce pings with a client and closes it.
func pingOnce(ctx context.Context, client *redis.Client) error {
	defer func() { _ = client.Close() }() // nothing to lose
	return client.Ping(ctx).Err()
}

func noMaintenance() *maintnotifications.Config {
	return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}

// plainURL checks a URL and replaces its scheme by the one that the client
// library knows. Errors of the library quote the text after the host, which
// contains a password whose reserved characters are not escaped; plainURL rejects
// such URLs.
func plainURL(raw string) (scheme, plain string, err error) {
	scheme, rest, _ := strings.Cut(raw, ":")
	if !Serves(scheme) {
		return "", "", errors.New("the store's URL must begin with valkey://, valkeys://, redis://, rediss:// or unix://")
	}
	plain = schemes[scheme] + ":" + rest
	u, err := url.Parse(plain)
	if err != nil || strings.Contains(u.EscapedPath()+u.RawQuery+u.EscapedFragment(), "@") {
		return "", "", errors.New("the store's URL cannot be read; reserved characters in user and password must be escaped, such as %40 for @")
	}
	return scheme, plain, nil
}

// routeLog sends the client library's log to log. The library has one logger for
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
