package rulesets

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets/consumers"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/valkeyconn"
)

// consumersFile returns the file in which consumers are recorded if the store is
// not a server.
func consumersFile(data string) string { return filepath.Join(data, "consumers.json") }

// OpenBook opens the record of consumers: on the server of the store, where all
// servers of that store share it, or else in the data folder.
func OpenBook(ctx context.Context, env host.Env) (consumers.Book, error) {
	onServer, url, err := storeServer(env)
	if err != nil {
		return nil, err
	}
	if onServer {
		return consumers.OpenValkey(ctx, url, env.StorePrefix, env.Logger, env.Now)
	}
	return consumers.OpenFile(consumersFile(env.Data), env.Now), nil
}

// storeServer reports whether the program's first store is a Valkey or Redis server, and
// returns its URL.
func storeServer(env host.Env) (is bool, url string, err error) {
	place, err := ParsePlace(env.Store)
	if err != nil {
		return false, "", err
	}
	scheme, _, _ := strings.Cut(place.URL, ":")
	return valkeyconn.Serves(scheme), place.URL, nil
}

// openAudience opens the record of consumers of a server. What an earlier version has
// recorded in the data folder moves to the server that is the store, and stays beside.
func openAudience(ctx context.Context, env host.Env, newest consumers.Newest) (*audience, error) {
	book, err := OpenBook(ctx, env)
	if err != nil {
		return nil, err
	}
	file := consumersFile(env.Data)
	if _, inFile := book.(*consumers.File); !inFile {
		if err := consumers.OpenFile(file, env.Now).MoveTo(ctx, book); err != nil {
			env.Logger.Warn("moving the record of consumers to the store", "file", file, "error", err)
		}
	}
	return &audience{book: book, newest: newest}, nil
}

// NewestIn returns the function that reads the newest revisions from a store.
// fallback must be set if readers at a label also get rulesets without it.
func NewestIn(store ruleset.Store, fallback bool) consumers.Newest {
	return func(ctx context.Context, name ruleset.Name, label ruleset.Label) (r consumers.Revision, err error) {
		current, err := store.Get(ctx, name)
		if _, gone := errors.AsType[*ruleset.NotFoundError](err); gone {
			return r, nil
		}
		if err != nil {
			return r, err
		}
		newest := consumers.Revision{Number: current.Rev, Since: current.LastModified}
		if label == "" {
			return newest, nil
		}
		moves, err := store.LabelMoves(ctx, name)
		if err != nil {
			return r, err
		}
		for _, m := range moves {
			if m.Label == label {
				r = consumers.Revision{Number: m.To, Since: m.At}
				break
			}
		}
		if r.Number == 0 && fallback {
			return newest, nil
		}
		return r, nil
	}
}
