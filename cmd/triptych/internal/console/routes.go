package console

import (
	"net/http"
	"net/url"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/routes"
)

// The sizes of forms. A ruleset is edited as a whole; what is larger is for the command line.
const (
	maxSignIn  = 8 << 10
	maxForm    = 64 << 10
	maxEditing = 6 << 20
	// maxEditable is the size of a ruleset that can be edited: a byte of it takes up to three
	// in a form.
	maxEditable = maxEditing/3 - 64<<10
)

// The memory that a page with whole rulesets takes, and one that checks all of them.
const (
	ruleMemory = 8 << 20
	lintMemory = 16 << 20
)

var (
	oneRule = routes.Cost{Memory: ruleMemory}
	// heavy is the cost of what reads the audit trail: of a call, and one at a time.
	heavy = routes.Cost{Calls: 1, Alone: true}
	// previewed is the cost of a preview. Saving is a call of the endpoint, which charges it.
	previewed = routes.Cost{Calls: 1, Alone: true, Memory: ruleMemory, If: isPreview}
)

// isPreview reports whether a form of a ruleset is to be shown, not saved.
func isPreview(form url.Values) bool { return form.Get("do") == "preview" }

// Routes returns the rows of the console for the table of a listener. Rows of what the server
// does not have are missing.
func (c *Console) Routes() []routes.Route { return c.rows }

// A page is a row of the console for visitors who are signed in.
type page struct {
	pattern string // the method and the path
	scope   host.Scope
	exists  bool // whether the server has what the page shows
	cost    routes.Cost
	serve   func(v *visit) error

	body int64         // of a form; 0 is maxForm
	time time.Duration // 0 is the default
}

// routes returns the rows of the pages, and those for visitors who are not signed in.
func (c *Console) routes() []routes.Route {
	var all []routes.Route
	add := func(r routes.Route) {
		r.KnownHosts, r.Refuse = true, c.refuse
		all = append(all, r)
	}
	for _, p := range c.signedInPages() {
		if p.exists {
			add(c.routeOf(p))
		}
	}
	add(routes.Route{Method: http.MethodGet, Path: "/signin", Handler: c.open(c.showSignIn)})
	add(routes.Route{Method: http.MethodPost, Path: "/signin", Body: routes.Form, MaxBody: maxSignIn, Handler: c.open(c.signIn)})
	add(routes.Route{Method: http.MethodPost, Path: "/link", Handler: c.open(c.makeLink)})
	for _, name := range []string{"style.css", "icon.svg"} {
		add(routes.Route{Method: http.MethodGet, Path: "/static/" + name, Handler: c.open(staticFile(name))})
	}
	add(routes.Route{Method: http.MethodGet, Path: "/", Handler: c.open(c.noPage)})
	return all
}

// open returns a handler for visitors who need not be signed in.
func (c *Console) open(serve http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header())
		serve(w, r)
	})
}

// noPage answers requests for what is not there.
func (c *Console) noPage(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "there is no such page", http.StatusNotFound)
}

// signedInPages returns the rows for visitors who are signed in.
func (c *Console) signedInPages() []page {
	cfg := &c.cfg
	return []page{
		{pattern: "GET /{$}", exists: true, serve: c.overview},
		{pattern: "POST /signout", exists: true, serve: c.signOut},

		{pattern: "GET /rules", scope: readRules, exists: true, serve: c.listRules},
		{pattern: "GET /rules/{name}", scope: readRules, exists: true, cost: oneRule, serve: c.showRule},
		{pattern: "GET /rules/{name}/revisions/{rev}", scope: readRules, exists: true, cost: oneRule, serve: c.showRevision},
		{pattern: "GET /rules/{name}/diff", scope: readRules, exists: true, cost: oneRule, serve: c.showDiff},
		{pattern: "GET /lint", scope: readRules, exists: true, cost: routes.Cost{Calls: 1, Alone: true, Memory: lintMemory}, time: time.Minute, serve: c.lintRules},
		{pattern: "GET /behind", scope: adminRules, exists: cfg.Consumers, serve: c.showBehind},
		{pattern: "GET /proposals", scope: readRules, exists: true, serve: c.listProposals},
		{pattern: "GET /proposals/{number}", scope: readRules, exists: true, cost: oneRule, serve: c.showProposal},
		{pattern: "POST /proposals/{number}", scope: readRules, exists: true, cost: oneRule, serve: c.reviewProposal},
		{pattern: "GET /new", scope: readRules, exists: true, serve: c.newRule},
		{pattern: "POST /new", scope: readRules, exists: true, cost: previewed, body: maxEditing, serve: c.createRule},
		{pattern: "GET /rules/{name}/edit", scope: readRules, exists: true, cost: oneRule, serve: c.editRule},
		{pattern: "POST /rules/{name}/edit", scope: readRules, exists: true, cost: previewed, body: maxEditing, serve: c.saveRule},
		{pattern: "POST /rules/{name}/restore", scope: writeRules, exists: true, serve: c.restoreRule},
		{pattern: "POST /rules/{name}/label", scope: readRules, exists: true, serve: c.labelRule},
		{pattern: "POST /rules/{name}/delete", scope: writeRules, exists: true, serve: c.deleteRule},

		{pattern: "GET /speeds", scope: readSpeeds, exists: cfg.Book != nil, cost: routes.Cost{Calls: 1}, serve: c.showSpeeds},
		{pattern: "GET /speeds/plot.svg", scope: readSpeeds, exists: cfg.Book != nil, cost: routes.Cost{Calls: 1}, serve: c.drawSpeeds},

		{pattern: "GET /keys", scope: AdminScope, exists: cfg.Keys != nil, serve: c.listKeys},
		{pattern: "POST /keys", scope: AdminScope, exists: cfg.Keys != nil, serve: c.createKey},
		{pattern: "GET /keys/{id}", scope: AdminScope, exists: cfg.Keys != nil, cost: heavy, serve: c.showKey},
		{pattern: "POST /keys/{id}", scope: AdminScope, exists: cfg.Keys != nil, serve: c.updateKey},
		{pattern: "POST /keys/{id}/rotate", scope: AdminScope, exists: cfg.Keys != nil, serve: c.rotateKey},
		{pattern: "POST /keys/{id}/revoke", scope: AdminScope, exists: cfg.Keys != nil, serve: c.revokeKey},

		{pattern: "GET /audit", scope: readAudit, exists: cfg.Trail != nil, cost: heavy, serve: c.showAudit},
		{pattern: "POST /audit/verify", scope: AdminScope, exists: cfg.Trail != nil, cost: heavy, time: verifyTime, serve: c.verifyAudit},
		{pattern: "GET /audit/export", scope: readAudit, exists: cfg.Trail != nil, cost: heavy, time: exportTime, serve: c.exportAudit},

		{pattern: "GET /sessions", scope: AdminScope, exists: cfg.Sessions != nil, serve: c.showSessions},
		{pattern: "GET /debugger", scope: AdminScope, exists: cfg.Debugging != nil, serve: c.showDebugging},
	}
}
