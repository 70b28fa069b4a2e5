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
	// Live is for the tools on live processes.
	Live Live
	// Traces are the core files and traces that can be opened.
	Traces Traces
	// Documents are the XML documents that can be read.
	Documents Documents
	// Projects are the source code that can be searched.
	Projects Projects
}

// RegisterFlags adds the family's flags.
func (c *Config) RegisterFlags(set *pflag.FlagSet) {
	c.Live.registerFlags(set)
	c.Traces.registerFlags(set)
	c.Projects.registerFlags(set)
	c.Documents.registerFlags(set)
}

// Open returns the family's table.
func (c *Config) Open(_ context.Context, env mcp.Env) (*mcp.Table, error) {
	t := &tools{trail: c.Trail, accounts: c.Accounts, now: env.Now}
	if t.trail == nil {
		t.trail = noTrail{}
	}
	if t.accounts == nil {
		t.accounts = &localAccounts{trail: c.Trail, now: env.Now}
	}
	var err error
	if t.live, err = c.Live.open(env); err != nil {
		return nil, err
	}
	if t.traces, err = c.Traces.open(env); err != nil {
		return nil, err
	}
	if t.similar, err = c.Projects.open(env); err != nil {
		return nil, err
	}
	t.stopSite = t.siteOfStop
	if t.documents, err = c.Documents.open(env); err != nil {
		return nil, err
	}
	return t.table(), nil
}
