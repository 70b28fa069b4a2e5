package aoc

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/mcp"
)

// A Config says where the book is.
type Config struct {
	// Dir holds instructions/ and speeds/; "" means aoc/ in the data folder.
	Dir string
}

// RegisterFlags adds the family's flags.
func (c *Config) RegisterFlags(set *pflag.FlagSet) {
	set.StringVar(&c.Dir, "aoc-dir", "", "read instructions/ and keep speeds/ in this `folder` (TRIPTYCH_AOC_DIR)")
}

// Scopes returns the scopes of the family's rows.
func (*Config) Scopes() []mcp.Scope { return new(tools).table().Scopes() }

// Book opens the book that the flags and the environment name.
func (c *Config) Book(env mcp.Env) *Book {
	return Open(cmp.Or(c.Dir, env.Getenv("TRIPTYCH_AOC_DIR"), filepath.Join(env.Data, "aoc")))
}

// Open returns the family's table. Nothing is read or written yet.
func (c *Config) Open(_ context.Context, env mcp.Env) (*mcp.Table, error) {
	t := &tools{book: c.Book(env), now: env.Now}
	return t.table(), nil
}
