package routes

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
)

// A Body says who reads the body of a request.
type Body int

const (
	// None refuses requests with a body.
	None Body = iota
	// Form reads application/x-www-form-urlencoded of up to [Route.MaxBody] bytes before the
	// handler is called.
	Form
	// JSON reads application/json of up to [Route.MaxBody] bytes before the handler is called,
	// which reads it from [http.Request.Body] again.
	JSON
	// Own leaves the body to the handler, which has budgets of its own. The table does no
	// more for such a route than to refuse a GET with a body.
	Own
)

// A Route is a row of the table.
type Route struct {
	Method string // GET is HEAD, too; "" is any, for [Own] only
	Path   string // as in the patterns of [http.ServeMux]

	Body    Body
	MaxBody int64         // bytes of a form or of JSON
	Time    time.Duration // until the handler's context is done; 30 s
	Cost    Cost

	// Callers authenticates; nil serves everybody.
	Callers Callers
	// Scope is the one that the caller needs; "" for none.
	Scope host.Scope
	// KnownHosts refuses a Host that is neither a loopback name, an IP address nor one of
	// [Config.Hosts]: a web page that has made its own name point here sends such a one.
	KnownHosts bool
	// Refuse answers with a status and the reason; nil writes the reason as text.
	Refuse  func(w http.ResponseWriter, r *http.Request, status int, reason string)
	Handler http.Handler
}

// A Cost lists what a request takes from its caller. Only routes with Callers have one.
type Cost struct {
	Calls  int   // of the quota
	Memory int64 // bytes of the memory for answers, until the answer is written
	// Alone serves one request of a caller at a time, and a few of all callers, among all
	// routes that have it.
	Alone bool
	// If reports whether a form is to be charged with Calls and Alone; nil charges all.
	If func(form url.Values) bool
}

// Callers authenticates the callers of routes and charges their quotas.
type Callers interface {
	// Authenticate returns the caller of a request, whose body it must not read, and the
	// request to serve. It returns nil when it has answered.
	Authenticate(w http.ResponseWriter, r *http.Request) (*host.Caller, *http.Request)
	// Charge takes calls from the caller's quota, or reports false when it has answered.
	Charge(w http.ResponseWriter, r *http.Request, caller *host.Caller, calls int) bool
}

// defaultTime bounds the time of a handler without [Route.Time].
const defaultTime = 30 * time.Second

// check panics on a row that would have no limits: it is a mistake in the program.
func (r *Route) check() {
	r.Time = cmp.Or(r.Time, defaultTime)
	for _, rule := range []struct {
		broken bool
		reason string
	}{
		{r.Handler == nil, "has no handler"},
		{!strings.HasPrefix(r.Path, "/"), "has no path"},
		{(r.Method == "") != (r.Body == Own), "has any method, which is for those with their own body"},
		{r.isRead() != (r.MaxBody > 0), "has a form without a size"},
		{r.isRead() && r.Method != http.MethodPost, "has a form, which needs POST"},
		{r.Callers == nil && (r.Scope != "" || r.Cost.Calls > 0 || r.Cost.Memory > 0 || r.Cost.Alone), "charges unknown callers"},
		{r.Cost.If != nil && r.Body != Form, "charges by a form that it does not have"},
	} {
		if rule.broken {
			panic(fmt.Sprintf("routes: %s %s", r.Pattern(), rule.reason))
		}
	}
}

// isRead reports whether the table reads the body.
func (r *Route) isRead() bool { return r.Body == Form || r.Body == JSON }

// Pattern returns the method and the path, as [http.ServeMux] writes them.
func (r *Route) Pattern() string { return strings.TrimSpace(r.Method + " " + r.Path) }
