package app

import (
	"context"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/keys"
)

// keyNames returns the function that looks up the names of keys where the program keeps them.
// It opens the keys for each look-up of an id of a key, which people make who read a history.
func (a *App) keyNames(env mcp.Env) func(ctx context.Context, ids []string) map[string]string {
	return func(ctx context.Context, ids []string) map[string]string {
		if !slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, keys.IDPrefix) }) {
			return nil
		}
		client, err := a.DialValkey(ctx, env.Logger)
		if err != nil {
			return nil
		}
		if client != nil {
			defer func() { _ = client.Close() }() // every answer has come
		}
		store, err := a.OpenKeys(client, env)
		if err != nil {
			return nil
		}
		defer func() { _ = store.Close() }() // it was only read
		return keys.Names(ctx, store, ids)
	}
}
