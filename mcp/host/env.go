package host

import (
	"context"
	"log/slog"
	"time"
)

// An Env holds the services that the program provides to the families that it
// opens.
type Env struct {
	Logger *slog.Logger
	Now    func() time.Time
	// Data is the program's data folder, which may not exist yet.
	Data string
	// Store is the URL of the store selected by the program's flags and
	// environment, or "" for files in the data folder.
	Store string
	// FurtherStores holds the URLs of additional stores.
	FurtherStores []string
	// StorePrefix is the prefix of all keys in a store, except those of a
	// documented schema.
	StorePrefix string
	// Getenv returns the value of an environment variable, or "" if it is not
	// set.
	Getenv func(string) string
	// Names returns the names that people gave principals, by their ids. Principals without a
	// name are left out. Nil means that none is known.
	Names func(ctx context.Context, ids []string) map[string]string
	// Span begins a span of some part of a request, below the one that the context has, for
	// traces. The function that it returns ends the span with the part's error. Span is nil
	// if nothing is traced.
	Span func(ctx context.Context, name string) (context.Context, func(error))
}
