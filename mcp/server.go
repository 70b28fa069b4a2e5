package mcp

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// A Config configures a server. Only Name and Version are required.
type Config struct {
	// Name and Version are the serverInfo, except to baseline clients of a
	// family that is alone ([Documented]).
	Name, Version string
	Title         string
	// ToolNames forces how tools are listed; calls may use either spelling.
	ToolNames host.ToolNames
	// Tools picks the tools that the server has; the others are refused with the
	// name of their toolset.
	Tools host.ToolSelection
	// Elsewhere returns where a tool is that the server does not have, for the error of its
	// call; "" if that is not known. Nil knows of none.
	Elsewhere func(tool string) string
	// OutputSchemas says who is shown the schemas of structured answers.
	OutputSchemas host.OutputSchemas
	// StateKey signs what clients keep for us between two rounds of input;
	// servers behind one load balancer share it. Nil makes one at random.
	StateKey []byte
	// Logger gets what an operator should see; nil discards it.
	Logger *slog.Logger
	// StateMemory bounds the bytes that the server keeps for one principal
	// between its requests: subscriptions, listen requests, tasks with their
	// arguments and results; 32 MiB. StateMemoryTotal bounds those of all, 64
	// MiB. A request that needs more is refused.
	StateMemory, StateMemoryTotal int
	// Oversize stores answers that are too large to send; without one they are
	// errors.
	Oversize host.OversizeStore
	// Tasks keeps tasks for several servers; nil keeps them in memory.
	Tasks host.TaskStore
	// Trace is called for every request before it is handled, with the trace context in
	// its _meta. It returns the context that the request is handled with and that Observe
	// gets. Nil traces nothing. It is not called without Observe.
	Trace func(ctx context.Context, method string, from host.TraceContext) context.Context
	// Observe is called for every request when its answer is known and before it
	// leaves, from the handler's goroutine. When it fails, its error is the
	// answer in place of a result. Nil observes nothing.
	Observe func(ctx context.Context, event *host.Event) error
	// Explain is called for every request that fails, before Observe, and returns the
	// error to answer with: where several servers share clients, another one may have
	// the state that is missing here. Nil leaves errors as they are. It is not called
	// without Observe.
	Explain func(ctx context.Context, event *host.Event, err error) error
}

// A Server serves tables to bound callers. It may be used from any goroutine. Run must be
// called for clients to be notified of changes, and Close when all handlers have ended.
// Its fields do not change after New, but for those that have locks of their own.
type Server struct {
	cfg        Config
	rows       rows
	bare       revision // of clients that name none
	identities map[revision][]byte
	rendered   sync.Map // listKey → []byte, until the tools change
	sessions   atomic.Int64
	stateKey   [32]byte
	news       news
	budget     budget
	listeners  listeners
	tasks      tasks
	stored     storedTasks
	oversize   oversize
}

// The rows of all tables, and the tables. They do not change after New.
type rows struct {
	tables     []*Table
	tools      map[string]*boundTool // by either spelling
	listed     []*boundTool          // in the order of the tables
	toolScopes []Scope               // that any tool asks for, each once
	sources    []*boundSource
	schemes    map[string]*boundSource // by scheme, or by scheme and authority
	prompts    []*boundPrompt
	byName     map[string]*boundPrompt
	promptsOf  []*promptTable // the tables with a source of prompts
}

// A boundTool is a row of a table in a server.
type boundTool struct {
	*Tool
	table    *Table
	portable string
	off      bool // the server's selection does not have it
}

// A boundSource is a source of resources and the table that has it.
type boundSource struct {
	*ResourceSource
	table *Table
}

// A boundPrompt is a prompt and the table that has it.
type boundPrompt struct {
	*Prompt
	table *Table
}

// A promptTable is a source of prompts and the table that has it.
type promptTable struct {
	*PromptSource
	table *Table
}

// New makes a server of tables, in the order in which lists show them. It reports every
// mistake in them (names that are there twice, schemes that are not valid, and the like)
// but types that have no schema, which [Check] looks at. The tables must not be changed
// afterwards. It starts nothing.
func New(cfg Config, tables ...*Table) (*Server, error) {
	tables = named(tables, cfg.Name)
	if err := errors.Join(check(tables), cfg.Tools.Check(Toolsets(tables...)...)); err != nil {
		return nil, err
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{cfg: cfg, bare: bareRevision(tables), oversize: oversize{cfg.Oversize}}
	s.rows = rows{
		tables: tables, tools: map[string]*boundTool{}, schemes: map[string]*boundSource{}, byName: map[string]*boundPrompt{},
	}
	s.listeners.bound = map[*Handler]struct{}{}
	s.stored = storedTasks{cfg.Tasks, &s.tasks, &s.listeners, cfg.Logger}
	s.news.init()
	s.budget.init(&cfg)
	s.tasks.init(&s.budget)
	if cfg.StateKey != nil {
		s.stateKey = sha256.Sum256(cfg.StateKey)
	} else if _, err := rand.Read(s.stateKey[:]); err != nil {
		return nil, err
	}
	for _, t := range tables {
		s.rows.add(t, &cfg.Tools)
	}
	if cfg.Oversize != nil {
		s.rows.schemes[oversizeScheme] = s.oversize.oversizeSource()
	}
	var err error
	s.identities, err = s.identify()
	return s, err
}

// named returns the tables with a name for that which has none.
func named(tables []*Table, name string) []*Table {
	all := slices.Clone(tables)
	for i, t := range all {
		if t.Family == "" {
			own := *t
			own.Family = name
			all[i] = &own
		}
	}
	return all
}

// add adds the rows of a table. Tools are found by their documented and their portable
// names; only those that the selection picks are listed.
func (r *rows) add(t *Table, selection *host.ToolSelection) {
	for i := range t.Tools {
		tool := &boundTool{Tool: &t.Tools[i], table: t, portable: host.PortableName(t.Tools[i].Name)}
		if tool.off = !picks(selection, tool); !tool.off {
			r.listed = append(r.listed, tool)
		}
		for _, scope := range []Scope{tool.Scope, tool.OrScope} {
			if !slices.Contains(r.toolScopes, scope) {
				r.toolScopes = append(r.toolScopes, scope)
			}
		}
		r.tools[tool.Name], r.tools[tool.portable] = tool, tool
	}
	for i := range t.Resources {
		src := &boundSource{ResourceSource: &t.Resources[i], table: t}
		r.sources = append(r.sources, src)
		r.schemes[src.prefix()] = src
	}
	for i := range t.Prompts {
		p := &boundPrompt{Prompt: &t.Prompts[i], table: t}
		r.prompts = append(r.prompts, p)
		r.byName[p.Name] = p
	}
	if t.PromptSource != nil {
		r.promptsOf = append(r.promptsOf, &promptTable{t.PromptSource, t})
	}
}

// Close cancels the tasks, waits for them and closes the tables. It returns the errors of
// the tables, and must be called once.
func (s *Server) Close() error {
	s.tasks.close()
	var errs []error
	for _, t := range s.rows.tables {
		if t.Close != nil {
			errs = append(errs, t.Close())
		}
	}
	return errors.Join(errs...)
}

// Bind returns the handler for what a caller sends. cancel ends a request of the caller
// that is in flight; nil where the transport cancels by itself. [Handler.End] must be
// called when the connection or request is over, if the caller has Send and Unsolicited
// set: the server keeps the handler until then.
func (s *Server) Bind(caller host.Caller, cancel func(jsonrpc.ID) bool) *Handler {
	if caller.Connection && caller.Session == nil {
		caller.Session = host.NewSession("connection-" + strconv.FormatInt(s.sessions.Add(1), 10))
	}
	caller.Unsolicited = caller.Unsolicited || caller.Connection
	h := &Handler{server: s, caller: caller, cancel: cancel}
	if caller.Send != nil && caller.Unsolicited {
		s.listeners.listen(h)
	}
	return h
}

// Handler serves one caller: a connection, a session or one HTTP request. It
// implements [jsonrpc.Handler] and the interfaces by which a connection asks for
// order ([jsonrpc.Sequencer], [jsonrpc.BlockingHandler]), notifications
// ([jsonrpc.Preempter]) and batches ([jsonrpc.BatchGuard], [jsonrpc.IDPolicy]).
type Handler struct {
	server  *Server
	caller  host.Caller
	cancel  func(jsonrpc.ID) bool
	bound   atomic.Bool   // whether the server knows the handler
	preview *host.Preview // of the request that comes next, nil if there is none
	book    book
}

// CloseListens answers the client's listen requests: they are over. [Handler.End] does it
// too; before a connection is closed from our side it has to come first, so that the
// answers can still be written.
func (h *Handler) CloseListens(ctx context.Context) { h.closeListens(ctx) }

// End forgets the caller: its subscriptions end, and families drop what they kept for its
// session. It does not wait for requests that are being handled. A second call does no
// harm.
func (h *Handler) End(ctx context.Context) {
	h.book.close() // before forget: a listen that is being opened binds the handler
	h.server.listeners.forget(h)
	h.closeListens(ctx)
	h.observeLeaving(ctx)
	if session := h.caller.Session; session != nil && h.caller.Unsolicited {
		h.server.budget.give(h.caller.Principal.ID, session.State.DropSubscriptions(true))
	}
	if h.caller.Connection {
		h.server.EndSession(h.caller.StateKey())
	}
}

// Forget drops what is kept for a principal who will not come back: its tasks,
// and the state that its requests without a session share.
func (s *Server) Forget(principal string) {
	s.tasks.drop(principal)
	s.EndSession((&host.Caller{Principal: host.Principal{ID: principal}}).StateKey())
}

// HasState reports whether a family keeps state in memory under a [Call.StateKey]:
// other servers cannot answer calls that need it.
func (s *Server) HasState(family, key string) bool {
	for _, t := range s.rows.tables {
		if t.Family == family && t.HasState != nil {
			return t.HasState(key)
		}
	}
	return false
}

// EndSession makes the families drop the state under the key.
func (s *Server) EndSession(key string) {
	for _, t := range s.rows.tables {
		if t.EndSession != nil {
			t.EndSession(key)
		}
	}
}
