package routes_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/internal/budget"
	"github.com/triptych-mcp/triptych/transport/routes"
)

// callers knows callers by the header Key, whose scope is read.
type callers struct{ calls atomic.Int64 }

func (c *callers) Authenticate(w http.ResponseWriter, r *http.Request) (*host.Caller, *http.Request) {
	key := r.Header.Get("Key")
	if key == "" {
		http.Error(w, "no key", http.StatusUnauthorized)
		return nil, r
	}
	return &host.Caller{Principal: host.Principal{ID: key, Scopes: []host.Scope{"read"}}}, r
}

func (c *callers) Charge(w http.ResponseWriter, _ *http.Request, _ *host.Caller, n int) bool {
	if c.calls.Add(int64(-n)) < 0 {
		http.Error(w, "no calls left", http.StatusTooManyRequests)
		return false
	}
	return true
}

// A fixture is a table behind a server.
type fixture struct {
	*httptest.Server
	callers *callers
	bodies  *budget.Budget
	answers *budget.Budget
	refused chan string
	enter   chan struct{} // handlers of /wait send
	leave   chan struct{} // and receive
}

func open(t *testing.T, more ...routes.Route) *fixture {
	t.Helper()
	f := &fixture{
		callers: new(callers), refused: make(chan string, 100), enter: make(chan struct{}), leave: make(chan struct{}),
		bodies:  budget.New(budget.Limits{Owner: 8 << 10, Total: 64 << 10}),
		answers: budget.New(budget.Limits{Owner: 100, Total: 300}),
	}
	f.callers.calls.Store(1000)
	says := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
	}
	waits := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		f.enter <- struct{}{}
		<-f.leave
	})
	echoes := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "a="+r.FormValue("a")) // which reads no body: the table has
	})
	rows := append([]routes.Route{
		{Path: "/own", Body: routes.Own, Handler: says("own")},
		{Method: "GET", Path: "/open", Handler: says("open"), KnownHosts: true},
		{Method: "GET", Path: "/keyed/{id}", Callers: f.callers, Scope: "read", Cost: routes.Cost{Calls: 1}, Handler: says("keyed")},
		{Method: "GET", Path: "/other", Callers: f.callers, Scope: "write", Handler: says("other")},
		{Method: "POST", Path: "/form", Body: routes.Form, MaxBody: 1000, Handler: echoes},
		{Method: "POST", Path: "/keyedform", Body: routes.Form, MaxBody: 4000, Callers: f.callers, Handler: echoes},
		{
			Method: "POST", Path: "/maybe", Body: routes.Form, MaxBody: 1000, Callers: f.callers, Handler: echoes,
			Cost: routes.Cost{Calls: 1000, If: func(form url.Values) bool { return form.Get("dear") != "" }},
		},
		{Method: "GET", Path: "/wait", Callers: f.callers, Cost: routes.Cost{Alone: true}, Handler: waits},
		{Method: "GET", Path: "/large", Callers: f.callers, Cost: routes.Cost{Memory: 60}, Handler: waits},
	}, more...)
	f.Server = httptest.NewServer(routes.New(routes.Config{
		Routes: rows, Bodies: f.bodies.Hold, Answers: f.answers.Hold, Hosts: []string{"here.example"},
		Refused: func(_ context.Context, caller *host.Caller, status int, reason string) {
			f.refused <- fmt.Sprintf("%s %d %s", caller.Principal.ID, status, reason)
		},
	}))
	t.Cleanup(f.Close)
	return f
}

// send sends a request as it stands and returns the status and the body of the answer.
func (f *fixture) send(t *testing.T, text string) (status int, body string, header http.Header) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", f.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(text, " ")
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%.60q: %v", text, err)
	}
	defer resp.Body.Close()
	read, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, strings.TrimSpace(string(read)), resp.Header
}

// form returns a request with a form.
func form(path, key, text string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nKey: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", path, key, len(text), text)
}

// What is in no row is not served, and rows are served only to whom they are for.
func TestRows(t *testing.T) {
	f := open(t)
	for _, tc := range []struct {
		text   string
		status int
		body   string
	}{
		{"GET /own HTTP/1.1\r\nHost: evil.example\r\n\r\n", 200, "own"},
		{"PUT /own HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na", 200, "own"},
		{"GET /own HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na", 400, "a GET request here has no body"},
		{"GET /open HTTP/1.1\r\nHost: localhost\r\n\r\n", 200, "open"},
		{"GET /open HTTP/1.1\r\nHost: here.example\r\n\r\n", 200, "open"},
		{"GET /open HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403, "this host is not served here"},
		{"GET /open HTTP/1.1\r\nHost: a@localhost\r\n\r\n", 400, ""},
		{"GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n", 404, "nothing is served here; MCP is at /mcp"},
		{"GET /own/ HTTP/1.1\r\nHost: a\r\n\r\n", 404, ""},
		{"POST /open HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", 405, "use GET, HEAD here; MCP is at /mcp"},
		{"GET /keyed/1 HTTP/1.1\r\nHost: a\r\n\r\n", 401, "no key"},
		{"GET /keyed/1 HTTP/1.1\r\nHost: a\r\nKey: k\r\n\r\n", 200, "keyed"},
		{"GET /other HTTP/1.1\r\nHost: a\r\nKey: k\r\n\r\n", 403, "Your key does not have the scope write."},
		{form("/form", "", "a=1"), 200, "a=1"},
		{form("/form?a=2", "", "b=1"), 200, "a="},
		{form("/keyedform", "k", "a=%20"), 200, "a="},
		{form("/keyedform", "", "a=1"), 401, "no key"},
	} {
		status, body, header := f.send(t, tc.text)
		if status != tc.status || tc.body != "" && body != tc.body {
			t.Errorf("%.40q: %d %q, want %d %q", tc.text, status, body, tc.status, tc.body)
		}
		if status != 400 && header.Get("X-Request-Id") == "" {
			t.Errorf("%.40q: no request id", tc.text)
		}
	}
}

// A body that a route does not take is refused without being read.
func TestBodies(t *testing.T) {
	f := open(t)
	const unread = "Content-Length: 1000000000\r\n\r\n--B\r\n"
	multipart := "Content-Type: multipart/form-data; boundary=B\r\n"
	for _, tc := range []struct {
		text   string
		status int
	}{
		{"GET /open HTTP/1.1\r\nHost: localhost\r\n" + multipart + unread, 400},
		{"HEAD /open HTTP/1.1\r\nHost: localhost\r\n" + unread, 400},
		{"GET /open HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n", 400},
		{"GET /keyed/1 HTTP/1.1\r\nHost: localhost\r\nKey: k\r\n" + multipart + unread, 400},
		{"GET /nothing HTTP/1.1\r\nHost: localhost\r\n" + unread, 404},
		{"PATCH /open HTTP/1.1\r\nHost: localhost\r\n" + unread, 405},
		{"POST /form HTTP/1.1\r\nHost: localhost\r\n" + multipart + unread, 415},
		{"POST /form HTTP/1.1\r\nHost: localhost\r\n" + unread, 415},
		{"POST /form HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Encoding: gzip\r\n" + unread, 415},
		{"POST /form HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n" + unread, 413},
		{form("/form", "", strings.Repeat("a&", 500)+"a"), 413},
		{form("/keyedform", "k", strings.Repeat("a&", 1500)), 400},
		{form("/keyedform", "k", "a=%zz"), 400},
		{form("/keyedform", "k", "a=1;b=2"), 400},
	} {
		status, body, _ := f.send(t, tc.text)
		if status != tc.status {
			t.Errorf("%.60q: %d %q, want %d", tc.text, status, body, tc.status)
		}
	}
	if got := f.bodies.Usage(); got.Used != 0 {
		t.Errorf("%d bytes are held", got.Used)
	}
}

// A body that arrives slowly does not delay the answer to a request that is refused without
// reading it by more than the pause that a body may have.
func TestSlowBodiesThatAreNotRead(t *testing.T) {
	f := open(t)
	for _, text := range []string{
		"POST /keyedform HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\na",
		"POST /own HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\na",
		"POST /nothing HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
	} {
		t.Run(text[:20], func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			f.send(t, text)
			if took := time.Since(began); took > 15*time.Second {
				t.Errorf("the answer took %v", took)
			}
		})
	}
}

// Forms without their end take the budget of their caller, and give it back.
func TestUnfinishedForms(t *testing.T) {
	f := open(t)
	head := "POST /keyedform HTTP/1.1\r\nHost: localhost\r\nKey: k\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 4000\r\n\r\n"
	var all []net.Conn
	for range 2 {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", f.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, head+strings.Repeat("a", 3999)); err != nil {
			t.Fatal(err)
		}
		all = append(all, conn)
	}
	f.holds(t, f.bodies, 2*4001)
	if status, body, header := f.send(t, form("/keyedform", "k", "a="+strings.Repeat("b", 500))); status != 429 || header.Get("Retry-After") == "" {
		t.Errorf("a third form of one caller: %d %s", status, body)
	}
	if status, body, _ := f.send(t, form("/keyedform", "other", "a=1")); status != 200 {
		t.Errorf("a form of another caller: %d %s", status, body)
	}
	for _, conn := range all {
		_ = conn.Close()
	}
	f.holds(t, f.bodies, 0)
}

// holds waits until a budget holds so many bytes.
func (f *fixture) holds(t *testing.T, b *budget.Budget, n int64) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); b.Usage().Used != n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d bytes are held, want %d", b.Usage().Used, n)
		}
	}
}

// begin sends a request and returns a function that waits for the status of its answer.
func (f *fixture) begin(t *testing.T, path, key string) (status func() int) {
	t.Helper()
	done := make(chan int, 1)
	go func() {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, f.URL+path, http.NoBody)
		if err != nil {
			t.Error(err)
			done <- 0
			return
		}
		req.Header.Set("Key", key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			done <- 0
			return
		}
		_ = resp.Body.Close() // the status matters
		done <- resp.StatusCode
	}()
	return func() int { return <-done }
}

// A caller has one request at a time where that is the cost, and all have a few.
func TestAlone(t *testing.T) {
	f := open(t)
	var running []func() int
	for i := range 16 {
		running = append(running, f.begin(t, "/wait", fmt.Sprint("k", i)))
		<-f.enter
	}
	if status := f.begin(t, "/wait", "k0")(); status != http.StatusTooManyRequests {
		t.Errorf("a second one of a caller: %d, want 429", status)
	}
	if status := f.begin(t, "/wait", "another")(); status != http.StatusServiceUnavailable {
		t.Errorf("a seventeenth: %d, want 503", status)
	}
	for range running { // whichever takes it
		f.leave <- struct{}{}
	}
	for _, status := range running {
		if got := status(); got != http.StatusOK {
			t.Errorf("status %d", got)
		}
	}
	again := f.begin(t, "/wait", "k0")
	<-f.enter
	f.leave <- struct{}{}
	if got := again(); got != http.StatusOK {
		t.Errorf("when it is answered: %d", got)
	}
}

// What a page takes of memory is taken from its caller, and given back.
func TestMemory(t *testing.T) {
	f := open(t)
	first := f.begin(t, "/large", "k")
	<-f.enter
	f.holds(t, f.answers, 60)
	if status := f.begin(t, "/large", "k")(); status != http.StatusTooManyRequests {
		t.Errorf("a second one of a caller: %d, want 429", status)
	}
	f.leave <- struct{}{}
	if got := first(); got != http.StatusOK {
		t.Errorf("status %d", got)
	}
	f.holds(t, f.answers, 0)
}

// A route charges what it says, and a form only if it is to be charged. Refusals are reported.
func TestCharges(t *testing.T) {
	f := open(t)
	if status, _, _ := f.send(t, form("/maybe", "k", "a=1")); status != 200 {
		t.Errorf("a form that costs nothing: %d", status)
	}
	if status, _, _ := f.send(t, form("/maybe", "k", "dear=1")); status != 200 || f.callers.calls.Load() != 0 {
		t.Errorf("a form that costs 1000: %d, %d are left", status, f.callers.calls.Load())
	}
	if status, _, _ := f.send(t, "GET /keyed/1 HTTP/1.1\r\nHost: a\r\nKey: k\r\n\r\n"); status != http.StatusTooManyRequests {
		t.Errorf("without calls: %d, want 429", status)
	}
	f.send(t, "GET /other HTTP/1.1\r\nHost: a\r\nKey: k\r\n\r\n")
	if got, want := <-f.refused, "k 403 Your key does not have the scope write."; got != want {
		t.Errorf("reported %q, want %q", got, want)
	}
}

// A handler's context is done when its time is over.
func TestTime(t *testing.T) {
	ended := make(chan error, 1)
	f := open(t, routes.Route{Method: "GET", Path: "/slow", Time: time.Millisecond, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		ended <- r.Context().Err()
	})})
	f.send(t, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
	if err := <-ended; err != context.DeadlineExceeded { //nolint:errorlint // the context's own
		t.Errorf("%v, want %v", err, context.DeadlineExceeded)
	}
}

// A row without limits does not become part of a table.
func TestRowsWithoutLimits(t *testing.T) {
	handler := http.NotFoundHandler()
	for name, row := range map[string]routes.Route{
		"no handler":            {Method: "GET", Path: "/a"},
		"no path":               {Method: "GET", Handler: handler},
		"any method":            {Path: "/a", Handler: handler},
		"a form without a size": {Method: "POST", Path: "/a", Body: routes.Form, Handler: handler},
		"a form of a GET":       {Method: "GET", Path: "/a", Body: routes.Form, MaxBody: 1, Handler: handler},
		"a size without a form": {Method: "POST", Path: "/a", MaxBody: 1, Handler: handler},
		"a scope of nobody":     {Method: "GET", Path: "/a", Scope: "read", Handler: handler},
		"calls of nobody":       {Method: "GET", Path: "/a", Cost: routes.Cost{Calls: 1}, Handler: handler},
		"one at a time, nobody": {Method: "GET", Path: "/a", Cost: routes.Cost{Alone: true}, Handler: handler},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			routes.New(routes.Config{Routes: []routes.Route{row}})
		}()
	}
}
