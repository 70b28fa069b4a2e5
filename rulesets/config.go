package rulesets

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/internal/filestore"
	"github.com/triptych-mcp/triptych/rulesets/internal/memstore"
	"github.com/triptych-mcp/triptych/rulesets/internal/valkeystore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/valkeyconn"
)

// A Config says where rulesets are kept.
type Config struct {
	// Store is a URL: file:DIR or a path, memory:, or one that Valkey's and
	// Redis' clients know. "" means VALKEY_HOST and VALKEY_PORT if either is
	// set, else rulesets/ in the data folder.
	Store string
}

// RegisterFlags adds the family's flags.
func (c *Config) RegisterFlags(set *pflag.FlagSet) {
	set.StringVar(&c.Store, "store", "", "keep rulesets at this `url`: a folder, valkey://HOST:PORT/DB, valkeys://…, redis://…, memory: (TRIPTYCH_STORE, VALKEY_HOST, VALKEY_PORT)")
}

// OpenStore opens the store that the flags and the environment name.
func (c *Config) OpenStore(ctx context.Context, env mcp.Env) (ruleset.Store, error) {
	where := cmp.Or(c.Store, env.Getenv("TRIPTYCH_STORE"))
	host, port := env.Getenv("VALKEY_HOST"), env.Getenv("VALKEY_PORT")
	if where == "" && (host != "" || port != "") {
		where = valkeyconn.URLFromEnv(host, port)
	}
	scheme, rest, _ := strings.Cut(where, ":")
	switch {
	case where == "":
		return filestore.Open(filepath.Join(env.Data, "rulesets"), env.Logger, env.Now), nil
	case scheme == "memory":
		return memstore.New(env.Now), nil
	case valkeyconn.Serves(scheme):
		return valkeystore.Open(ctx, where, env.Logger, env.Now)
	case scheme == "file":
		return filestore.Open(strings.TrimPrefix(rest, "//"), env.Logger, env.Now), nil
	case strings.Contains(where, "://"):
		return nil, fmt.Errorf("no store has URLs such as %s", redacted(where))
	}
	return filestore.Open(where, env.Logger, env.Now), nil
}

// redacted is a URL without its password.
func redacted(raw string) string {
	if u, err := url.Parse(raw); err == nil {
		return u.Redacted()
	}
	return "this one, which cannot be read"
}

// Open returns the family's table.
func (c *Config) Open(ctx context.Context, env mcp.Env) (*mcp.Table, error) {
	store, err := c.OpenStore(ctx, env)
	if err != nil {
		return nil, err
	}
	return (&tools{store: store}).table(), nil
}
