package app

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/keys"
)

// keyNames returns the function that looks up the names of keys where the program keeps them.
// It opens the keys for each look-up of an id of a key, which people make who read a history.
func (a *App) keyNames(env host.Env) func(ctx context.Context, ids []string) map[string]string {
	return func(ctx context.Context, ids []string) (names map[string]string) {
		if !slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, keys.IDPrefix) }) {
			return nil
		}
		err := a.WithKeys(ctx, env, func(_ redis.UniversalClient, store keys.Store) error {
			names = keys.Names(ctx, store, ids)
			return nil
		})
		if err != nil {
			return nil // readers see ids
		}
		return names
	}
}

// WithKeys opens the keys where the program keeps them, calls use with them and the client of the
// server that has them, nil for files, and closes both.
func (a *App) WithKeys(ctx context.Context, env host.Env, use func(redis.UniversalClient, keys.Store) error) error {
	client, err := a.DialValkey(ctx, env.Logger)
	if err != nil {
		return err
	}
	if client != nil {
		defer func() { _ = client.Close() }() // every answer has come
	}
	store, err := a.OpenKeys(client, env)
	if err != nil {
		return err
	}
	return errors.Join(use(client, store), store.Close())
}
