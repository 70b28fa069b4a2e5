package mcp

import (
	"log/slog"
	"time"
)

// An Env is what a family gets from the program that opens it.
type Env struct {
	Logger *slog.Logger
	Now    func() time.Time
	// Data is the program's data folder; it may not exist yet.
	Data string
	// Getenv looks up an environment variable, "" when it is not set.
	Getenv func(string) string
}
