package mcp

import (
	"log/slog"
	"time"
)

// An Env has the services that the program lends to a family that it opens.
type Env struct {
	Logger *slog.Logger
	Now    func() time.Time
	// Data is the program's data folder; it may not exist yet.
	Data string
	// Store is the URL of the store that the program's flags and environment
	// name, "" for files in the data folder.
	Store string
	// FurtherStores are the URLs of stores that are given besides.
	FurtherStores []string
	// StorePrefix begins the names of all keys of a store but those of a documented schema.
	StorePrefix string
	// Getenv looks up an environment variable, "" when it is not set.
	Getenv func(string) string
}
