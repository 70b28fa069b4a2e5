package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/redis/go-redis/v9"
	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/valkeyconn"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// storeFlags registers the flags that name the store of the program.
func (a *App) storeFlags(set *pflag.FlagSet) {
	set.Var(&storeValue{&a.Flags.Store, &a.Flags.Stores}, "store", "keep shared data in the store at this `url` (TRIPTYCH_STORE, VALKEY_HOST, VALKEY_PORT)\ndefault: the data folder\n"+
		"It has rulesets, keys, quotas and the audit trail. It is a server such as valkey://HOST:PORT/DB, valkeys://… or redis://…, a folder of rulesets, or memory:. "+
		"Further ones are for rulesets: the first that has a name wins, and changes go to the first that can be written. "+
		"org=, team=, project= or user= before a url is the layer of its rulesets; ro: has it read only.")
	set.StringVar(&a.Flags.storePrefix, "store-prefix", "", "begin the names of all keys in a server with this `text` (TRIPTYCH_STORE_PREFIX)\n"+
		"Several installations can then share it. Those of rulesets have no prefix.")
}

// A storeValue is the value of --store, which may be given several times.
type storeValue struct {
	first   *string
	further *[]string
}

func (v *storeValue) String() string { return *v.first }
func (v *storeValue) Type() string   { return "string" }

// Set implements [pflag.Value].
func (v *storeValue) Set(place string) error {
	if _, err := rulesets.ParsePlace(place); err != nil {
		return err
	}
	if *v.first == "" {
		*v.first = place
		return nil
	}
	*v.further = append(*v.further, place)
	return nil
}

// Append implements [pflag.SliceValue].
func (v *storeValue) Append(place string) error { return v.Set(place) }

// Replace implements [pflag.SliceValue].
func (v *storeValue) Replace(places []string) error {
	*v.first, *v.further = "", nil
	for _, place := range places {
		if err := v.Set(place); err != nil {
			return err
		}
	}
	return nil
}

// GetSlice implements [pflag.SliceValue].
func (v *storeValue) GetSlice() []string {
	if *v.first == "" {
		return nil
	}
	return append([]string{*v.first}, *v.further...)
}

// prefixForm matches prefixes: no pattern, space or hash tag of a cluster.
var prefixForm = regexp.MustCompile(`^[A-Za-z0-9._:/-]{0,64}$`)

// storePrefix returns the text that the names of keys in a store begin with.
func (a *App) storePrefix() (string, error) {
	prefix := cmp.Or(a.Flags.storePrefix, a.Getenv("TRIPTYCH_STORE_PREFIX"))
	if !prefixForm.MatchString(prefix) {
		return "", cmderr.UsageErrorf("--store-prefix is %q, want at most 64 letters, digits and . _ : / -", prefix)
	}
	return prefix, nil
}

// KeysFlags registers what every command that opens the keys or the trail has.
func (a *App) KeysFlags(set *pflag.FlagSet) {
	a.DataFlags(set)
	a.StoreFlags(set)
}

// StoreURL returns the URL of the store that the flags and the environment name, ""
// if they name none.
func (a *App) StoreURL() string {
	where := cmp.Or(a.Flags.Store, a.Getenv("TRIPTYCH_STORE"))
	host, port := a.Getenv("VALKEY_HOST"), a.Getenv("VALKEY_PORT")
	if where == "" && (host != "" || port != "") {
		return valkeyconn.URLFromEnv(host, port)
	}
	return where
}

// ValkeyURL returns the URL of the store if it is a server, which then has the keys,
// the quotas and the audit trail too; "" if it is none.
func (a *App) ValkeyURL() (string, error) {
	place, err := rulesets.ParsePlace(a.StoreURL())
	if err != nil {
		return "", cmderr.UsageErrorf("%v", err)
	}
	where := place.URL
	scheme, rest, _ := strings.Cut(where, ":")
	switch {
	case valkeyconn.Serves(scheme):
		return where, nil
	case scheme != "file" && strings.HasPrefix(rest, "//"):
		return "", cmderr.UsageErrorf("no store has URLs such as %s", RedactedURL(where))
	}
	return "", nil
}

// RedactedURL is a URL without its passwords; those of sentinels' primaries are parameters.
func RedactedURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "this one, which cannot be read"
	}
	if query := u.Query(); query.Has("password") {
		query.Set("password", "xxxxx")
		u.RawQuery = query.Encode()
	}
	return u.Redacted()
}

// DialValkey connects to the server that the flags and the environment select;
// the client is nil when they select none. Close it.
func (a *App) DialValkey(ctx context.Context, log *slog.Logger) (redis.UniversalClient, error) {
	where, err := a.ValkeyURL()
	if err != nil || where == "" {
		return nil, err
	}
	client, _, err := valkeyconn.Dial(ctx, where, log)
	return client, err
}

// OpenKeys opens the keys on a server, or in the data folder when client is
// nil.
func (a *App) OpenKeys(client redis.UniversalClient, env host.Env) (keys.Store, error) {
	if client != nil {
		return keys.OpenValkey(client, env.StorePrefix, env.Logger, env.Now, a.Scopes()...), nil
	}
	return keys.OpenFile(filepath.Join(env.Data, "keys"), env.Logger, env.Now, a.Scopes()...)
}

// OpenMeter opens the quotas on a server, or in the data folder if client is nil.
func OpenMeter(ctx context.Context, client redis.UniversalClient, env host.Env) (quota.Meter, error) {
	if client != nil {
		return quota.NewValkey(client, env.StorePrefix), nil
	}
	meter, err := quota.OpenLocal(ctx, filepath.Join(env.Data, "quota"), env.Logger)
	if errors.Is(err, quota.ErrInUse) {
		return nil, cmderr.WithHints(err, "end the other server, choose another --data, or let both share a --store valkey://…")
	}
	return meter, err
}
