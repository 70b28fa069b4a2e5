package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/redis/go-redis/v9"
	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/valkeyconn"
	"github.com/triptych-mcp/triptych/transport/keys"
)

// keysFlags registers what every command that opens the keys has. The flag
// --store is the one of rulesets: a server that keeps those keeps keys too.
func (a *app) keysFlags(set *pflag.FlagSet) {
	a.dataFlags(set)
	config := a.family("rulesets").config.(*rulesets.Config)
	set.StringVar(&config.Store, "store", "", "keep keys on the server with this `url`, such as valkey://HOST:PORT/DB; in the data folder if it names no server (TRIPTYCH_STORE, VALKEY_HOST, VALKEY_PORT)")
}

// valkeyURL is the URL of the server that the flags and the environment select
// for rulesets, and with them for everything else; "" when they select none.
func (a *app) valkeyURL() (string, error) {
	where := cmp.Or(a.family("rulesets").config.(*rulesets.Config).Store, a.getenv("TRIPTYCH_STORE"))
	host, port := a.getenv("VALKEY_HOST"), a.getenv("VALKEY_PORT")
	if where == "" && (host != "" || port != "") {
		return valkeyconn.URLFromEnv(host, port), nil
	}
	scheme, rest, _ := strings.Cut(where, ":")
	switch {
	case valkeyconn.Serves(scheme):
		return where, nil
	case scheme != "file" && strings.HasPrefix(rest, "//"):
		return "", misused("no store has URLs such as %s", redactedURL(where))
	}
	return "", nil
}

// redactedURL is a URL without its password.
func redactedURL(raw string) string {
	if u, err := url.Parse(raw); err == nil {
		return u.Redacted()
	}
	return "this one, which cannot be read"
}

// dialValkey connects to the server that the flags and the environment select;
// the client is nil when they select none. Close it.
func (a *app) dialValkey(ctx context.Context, log *slog.Logger) (redis.UniversalClient, error) {
	where, err := a.valkeyURL()
	if err != nil || where == "" {
		return nil, err
	}
	client, _, err := valkeyconn.Dial(ctx, where, log)
	return client, err
}

// openKeys opens the keys on a server, or in the data folder when client is
// nil.
func openKeys(client redis.UniversalClient, env mcp.Env) (keys.Store, error) {
	if client != nil {
		return keys.OpenValkey(client, env.Logger, env.Now), nil
	}
	return keys.OpenFile(filepath.Join(env.Data, "keys"), env.Logger, env.Now)
}

// withKeys runs a function with the keys that the flags and the environment
// select, and closes them.
func (a *app) withKeys(ctx context.Context, use func(keys.Store) error) error {
	env, err := a.env(slog.LevelWarn)
	if err != nil {
		return err
	}
	client, err := a.dialValkey(ctx, env.Logger)
	if err != nil {
		return err
	}
	if client != nil {
		defer func() { _ = client.Close() }() // every answer has come
	}
	store, err := openKeys(client, env)
	if err != nil {
		return err
	}
	return errors.Join(keyHint(use(store)), store.Close())
}

// keyHint adds advice to an error of the keys.
func keyHint(err error) error {
	if _, ok := errors.AsType[*keys.NotFoundError](err); ok {
		return hinted(err, "triptych key list shows what there is")
	}
	if _, ok := errors.AsType[*keys.SettingError](err); ok {
		return misused("%v", err)
	}
	return err
}
