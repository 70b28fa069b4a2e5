package debugger

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/mcp"
)

// A Config says what the family works with.
type Config struct {
	// Trail is the audit trail; nil means that none is kept.
	Trail Trail
	// Accounts know the callers' plans; nil means that all callers are local.
	Accounts Accounts
}

// RegisterFlags adds the family's flags. So far there are none.
func (c *Config) RegisterFlags(*pflag.FlagSet) {}

// Open returns the family's table.
func (c *Config) Open(_ context.Context, env mcp.Env) (*mcp.Table, error) {
	t := &tools{trail: c.Trail, accounts: c.Accounts, now: env.Now}
	if t.trail == nil {
		t.trail = noTrail{}
	}
	if t.accounts == nil {
		t.accounts = &localAccounts{trail: c.Trail, now: env.Now}
	}
	return t.table(), nil
}
