package keycmd

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/recorder"
	"github.com/triptych-mcp/triptych/transport/keys"
)

// withKeys runs a function with the keys that the flags and the environment
// select, and closes them.
func (a commands) withKeys(ctx context.Context, use func(keys.Store) error) error {
	env, err := a.app.Env(slog.LevelWarn)
	if err != nil {
		return err
	}
	return a.app.WithKeys(ctx, env, func(client redis.UniversalClient, store keys.Store) error {
		recorded := &recorder.RecordedKeys{Store: store, Record: a.app.Flags.Audit.RecordOnce(client, env)}
		return keyHint(use(recorded))
	})
}

// Find returns the key that a word names, by its id or name. It fails if there is none.
func Find(ctx context.Context, a *app.App, word string) (found keys.Record, err error) {
	c := newCommands(a)
	err = c.withKeys(ctx, func(store keys.Store) error {
		id, err := keyID(ctx, store, word)
		if err == nil {
			found, err = store.Get(ctx, id)
		}
		return err
	})
	return found, err
}

// keyID returns the id of the key that a word names: the id itself, or the name of one
// key alone. Keys that were revoked have their names only if no other key has.
func keyID(ctx context.Context, store keys.Store, word string) (string, error) {
	if strings.HasPrefix(word, keys.IDPrefix) {
		return word, nil
	}
	records, err := store.List(ctx)
	if err != nil {
		return "", err
	}
	records = slices.DeleteFunc(records, func(r keys.Record) bool { return r.Name != word })
	if active := slices.DeleteFunc(slices.Clone(records), func(r keys.Record) bool { return !r.Revoked.IsZero() }); len(active) > 0 {
		records = active
	}
	switch len(records) {
	case 0:
		return word, nil // the store says that there is none
	case 1:
		return records[0].ID, nil
	}
	ids := make([]string, len(records))
	for i := range records {
		ids[i] = records[i].ID
	}
	return "", cmderr.WithHints(cmderr.UsageErrorf("%d keys have the name %q", len(ids), word), "name one by its id: "+strings.Join(ids, ", "))
}

// keyHint adds advice to an error of the keys.
func keyHint(err error) error {
	if _, ok := errors.AsType[*keys.NotFoundError](err); ok {
		return cmderr.WithHints(err, "triptych key list shows what there is")
	}
	if _, ok := errors.AsType[*keys.SettingError](err); ok {
		return cmderr.UsageErrorf("%v", err)
	}
	return err
}
