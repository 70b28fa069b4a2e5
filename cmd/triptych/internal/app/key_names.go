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
	return func(ctx context.Context, ids []string) (names map[string]string) {
		if !slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, keys.IDPrefix) }) {
			return nil
		}
		err := a.readKeys(ctx, env, func(store keys.Store) error {
			names = keys.Names(ctx, store, ids)
			return nil
		})
		if err != nil {
			return nil // readers see ids
		}
		return names
	}
}

// KeyIDs returns the ids of the keys that a word names, see [keys.IDsOf].
func (a *App) KeyIDs(ctx context.Context, env mcp.Env, word string) (ids []string, err error) {
	err = a.readKeys(ctx, env, func(store keys.Store) error {
		ids, err = keys.IDsOf(ctx, store, word)
		return err
	})
	return ids, err
}

// readKeys opens the keys where the program keeps them, to read them.
func (a *App) readKeys(ctx context.Context, env mcp.Env, use func(keys.Store) error) error {
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
	defer func() { _ = store.Close() }() // it was only read
	return use(store)
}
