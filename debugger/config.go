package debugger

import (
	"context"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/accounttools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/bugtools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/controltools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/expose"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/exposetools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/looktools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/traveltools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/xmltools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/mcp"
)

// A Config configures the family.
type Config struct {
	// Trail is the audit trail; nil means that none is kept.
	Trail accounttools.Trail
	// Connected is called when a debugger of the user's own connects to a
	// session of an agent, and when it has disconnected. An error refuses it.
	// Nil records nothing.
	Connected func(Connection) error
	// Accounts return the callers' plans; nil means that all callers are
	// local.
	Accounts accounttools.Accounts
	// Live configures the tools for live processes.
	Live Live
	// Traces are the folders of core files and traces.
	Traces Traces
	// FileMemory limits the memory of core files, traces, recordings and debug information.
	FileMemory FileMemory
	// Documents configures the tools for XML documents.
	Documents Documents
	// Projects are the folders of source code to search.
	Projects Projects
	// IndexProjects stores the analysis of source code in the data folder, so
	// that a restart does not read it again.
	IndexProjects bool

	sessions *session.Registry // since Open
}

// RegisterFlags adds the family's flags.
func (c *Config) RegisterFlags(set *pflag.FlagSet) {
	c.Live.registerFlags(set)
	c.Traces.registerFlags(set)
	c.FileMemory.RegisterFlag(set)
	c.Projects.registerFlags(set)
	set.BoolVar(&c.IndexProjects, "projects-index", false, "store in the data folder what find_similar_bugs has read, up to 1 GiB")
	c.Documents.registerFlags(set)
}

// Scopes returns the scopes of the family's rows.
func (*Config) Scopes() []mcp.Scope { return closedTable().Scopes() }

// Tools returns the family's tools, which cannot be called.
func (*Config) Tools() []mcp.Tool { return closedTable().Tools }

// closedTable returns the family's table before it is opened.
func closedTable() *mcp.Table {
	g := &groups{
		control: new(controltools.Group), travel: new(traveltools.Group), look: new(looktools.Group),
		account: new(accounttools.Group), similar: new(bugtools.Group), xml: new(xmltools.Group),
		expose: new(exposetools.Group),
	}
	return g.table()
}

// Open returns the family's table.
func (c *Config) Open(_ context.Context, env mcp.Env) (*mcp.Table, error) {
	sessions, rules, err := c.Live.open(env)
	if err != nil {
		return nil, err
	}
	traces, err := c.Traces.open(env)
	if err != nil {
		return nil, err
	}
	memory, err := c.FileMemory.limit(env.Getenv)
	if err != nil {
		return nil, err
	}
	index := ""
	if c.IndexProjects {
		index = filepath.Join(env.Data, indexFolder)
	}
	similar, err := c.Projects.open(env, index)
	if err != nil {
		return nil, err
	}
	documents, err := c.Documents.open(env)
	if err != nil {
		return nil, err
	}
	c.sessions = sessions
	look := &looktools.Group{Sessions: sessions, NoWrite: c.Live.NoWrite, AllowCalls: c.Live.AllowCalls}
	similar.StopSite = look.StopSite
	g := &groups{
		sessions: sessions,
		control: &controltools.Group{
			Sessions: sessions, Policy: rules, NoLaunch: c.Live.NoLaunch, NoWrite: c.Live.NoWrite, Traces: traces,
			Memory:     budget.New(memory),
			MaxHistory: c.Live.mostHistory(), MaxHistoryFile: c.Live.mostHistoryFile(),
		},
		travel: &traveltools.Group{
			Sessions: sessions, Exports: filepath.Join(env.Data, tracesFolder), Now: env.Now,
			WithholdTraces: c.Live.MaskSecrets == maskOn,
		},
		look:    look,
		account: accounttools.New(c.Trail, c.Accounts, env.Now),
		similar: similar,
		xml:     documents,
		expose: &exposetools.Group{
			Sessions: sessions, Exposer: &expose.Exposer{Sessions: sessions, NoWrite: c.Live.NoWrite, Log: env.Logger, Record: c.Connected},
		},
	}
	if c.Live.masks() {
		g.mask = maskReport
	}
	return g.table(), nil
}
