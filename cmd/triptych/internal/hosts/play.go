package hosts

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A Visit plays hosts against one server. Tools are listed once for each revision, so that a
// visit costs few calls of a key's quota.
type Visit struct {
	URL  string
	Key  string // "" sends none
	HTTP *http.Client
	// Patience bounds each request; hosts wait for 30 to 60 seconds.
	Patience time.Duration

	lists map[string]list
	lost  *Report // of the first host whose trouble all have
}

// A list is the answer to tools/list in one revision.
type list struct {
	tools   int
	trouble Trouble
	text    string
}

// A Report tells how a visit of a host ended.
type Report struct {
	Host    *Host
	Trouble Trouble
	At      string // the request that failed
	Status  int    // of the answer, 0 without one
	Text    string // what the server or the network says
	Tools   int
	// Revision is the one that host and server agreed on.
	Revision string
}

// maxAnswer bounds an answer that is read.
const maxAnswer = 16 << 20

// modern is the revision that hosts look for by server/discover.
const modern = "2026-07-28"

// A guest is a host during its visit.
type guest struct {
	*Host
	visit    *Visit
	revision string // agreed on; "" before that
	session  string
	id       int
	tools    int
}

// Play plays the first requests of a host and reports what became of them. A server that one
// host could not reach is not tried again for the next. Neither is a wrong key: servers slow
// down a client that tries one often.
func (v *Visit) Play(ctx context.Context, h *Host) Report {
	if v.lost != nil {
		again := *v.lost
		again.Host, again.At = h, names[h.Steps[0]]
		if h.Registers && again.Trouble == Unauthorized {
			again.Text = cmp.Or((&guest{Host: h, visit: v}).register(ctx), again.Text)
		}
		return again
	}
	g := &guest{Host: h, visit: v}
	report := g.play(ctx)
	report.Host, report.Tools, report.Revision = h, g.tools, g.revision
	if report.Trouble.shared() {
		first := report
		v.lost = &first
	}
	if h.Registers && report.Trouble == Unauthorized {
		report.Text = cmp.Or(g.register(ctx), report.Text)
	}
	g.leave(ctx)
	return report
}

// play takes the steps until one fails.
func (g *guest) play(ctx context.Context) Report {
	steps := g.Steps
	for n := 0; len(steps) > 0 && n < maxSteps; n++ {
		now := steps[0]
		steps = steps[1:]
		report := g.take(ctx, now)
		if now == discover && report.Trouble != None && !report.Trouble.shared() {
			steps, report = fallback, Report{}
		}
		if report.Trouble != None {
			report.At = names[now]
			return report
		}
	}
	return Report{}
}

// take makes one request and judges the answer.
func (g *guest) take(ctx context.Context, s step) Report {
	if s == listTools {
		return g.list(ctx)
	}
	a, err := g.send(ctx, s)
	if err != nil {
		return report(err)
	}
	switch s {
	case probe, stream: // a server may have no stream
		if a.status != http.StatusUnauthorized && a.status < 500 {
			return Report{}
		}
	case ready:
		if a.status/100 == 2 {
			return Report{}
		}
	case level, ping: // a server may not have it
		if a.status == http.StatusOK {
			return Report{}
		}
	}
	if bad := judge(a); bad.Trouble != None || s == listen {
		return bad
	}
	if s == initialize || s == discover {
		return g.agree(s, a)
	}
	return Report{}
}

// agree takes revision and session from the answer to initialize or server/discover.
func (g *guest) agree(s step, a answered) Report {
	var answer struct {
		Result struct {
			Revision  string   `json:"protocolVersion"`
			Supported []string `json:"supportedVersions"`
		} `json:"result"`
	}
	_ = json.Unmarshal(a.body, &answer) // judge has read it
	if s == discover && slices.Contains(answer.Result.Supported, modern) {
		g.revision = modern
		return Report{}
	}
	g.revision = answer.Result.Revision
	if g.revision == "" {
		return Report{Trouble: NoMCP, Status: a.status, Text: "the answer names no revision: " + excerpt(a.body)}
	}
	g.session = a.header.Get("Mcp-Session-Id")
	return Report{}
}

// list lists the tools, or takes the list of another host with the same revision.
func (g *guest) list(ctx context.Context) Report {
	known, ok := g.visit.lists[g.revision]
	if !ok {
		a, err := g.send(ctx, listTools)
		if err != nil {
			return report(err)
		}
		if bad := judge(a); bad.Trouble != None {
			return bad
		}
		known = read(a.body)
		if g.visit.lists == nil {
			g.visit.lists = map[string]list{}
		}
		g.visit.lists[g.revision] = known
	}
	g.tools = known.tools
	return Report{Trouble: known.trouble, Text: known.text}
}

// read looks at the tools as hosts do.
func read(body []byte) list {
	var answer struct {
		Result struct {
			Tools []json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return list{trouble: NoMCP, text: err.Error()}
	}
	var faults []string
	for _, tool := range answer.Result.Tools {
		faults = append(faults, ToolFaults(tool)...)
	}
	known := list{tools: len(answer.Result.Tools)}
	if len(faults) > 0 {
		known.trouble, known.text = Schemas, fmt.Sprintf("%d faults; the first: %s", len(faults), faults[0])
	}
	return known
}

// register asks for a registration, as hosts do that look for a login after a 401, and returns
// the description of the error that they show.
func (g *guest) register(ctx context.Context) string {
	u, err := url.Parse(g.visit.URL)
	if err != nil {
		return ""
	}
	u.Path, u.RawQuery = "/register", ""
	ctx, cancel := context.WithTimeout(ctx, g.visit.Patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), strings.NewReader(`{"redirect_uris":["http://localhost:3334/oauth/callback"]}`))
	if err != nil {
		return ""
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := g.visit.HTTP.Do(req)
	if err != nil {
		return ""
	}
	defer func() { _ = resp.Body.Close() }() // read as far as it matters
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	var answer struct {
		Description string `json:"error_description"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Description == "" {
		return fmt.Sprintf("POST /register answers %s: %s", resp.Status, excerpt(body))
	}
	return excerpt([]byte(answer.Description))
}

// leave ends the session.
func (g *guest) leave(ctx context.Context) {
	if g.session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, g.visit.Patience)
	defer cancel()
	req, err := g.request(ctx, http.MethodDelete, nil)
	if err != nil {
		return
	}
	if resp, err := g.visit.HTTP.Do(req); err == nil {
		_ = resp.Body.Close() // it was only to be polite
	}
}

// An answered request has the part of the answer that a host reads.
type answered struct {
	status int
	header http.Header
	body   []byte
}

// send makes the request of a step and reads the answer; of a stream only that it begins.
func (g *guest) send(ctx context.Context, s step) (answered, error) {
	ctx, cancel := context.WithTimeout(ctx, g.visit.Patience)
	defer cancel()
	method, body := http.MethodPost, g.message(s)
	if body == nil {
		method = http.MethodGet
	}
	req, err := g.request(ctx, method, body)
	if err != nil {
		return answered{}, err
	}
	if s != probe && s != stream && (g.revision == modern || s == discover || g.Mirrors) {
		req.Header.Set("Mcp-Method", names[s])
	}
	if s == discover {
		req.Header.Set("Mcp-Protocol-Version", modern)
	}
	if s == stream && !strings.HasPrefix(g.Accept, "text/event-stream") {
		req.Header.Set("Accept", "text/event-stream")
	}
	resp, err := g.visit.HTTP.Do(req)
	if err != nil {
		return answered{}, err
	}
	defer func() { _ = resp.Body.Close() }() // read to its end, or left on purpose
	a := answered{status: resp.StatusCode, header: resp.Header}
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	if kind == "text/event-stream" {
		if s == stream || s == probe {
			return a, nil
		}
		a.body, err = firstEvent(resp.Body)
		return a, err
	}
	a.body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return a, err
}

// request makes a request with the headers of the host.
func (g *guest) request(ctx context.Context, method string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, g.visit.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", g.Accept)
	req.Header.Set("User-Agent", g.UserAgent)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if g.visit.Key != "" {
		req.Header.Set("Authorization", "Bearer "+g.visit.Key)
	}
	if g.session != "" {
		req.Header.Set("Mcp-Session-Id", g.session)
	}
	if g.revision != "" && !g.Silent {
		req.Header.Set("Mcp-Protocol-Version", g.revision)
	}
	return req, nil
}

// message returns the body of a step, nil for a GET.
func (g *guest) message(s step) []byte {
	params := "{}"
	meta := fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientInfo":%s,"io.modelcontextprotocol/clientCapabilities":%s}`,
		modern, g.Client, g.Can)
	switch s {
	case probe, stream:
		return nil
	case ready:
		return []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	case initialize:
		params = fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"clientInfo":%s}`, g.Revision, g.Can, g.Client)
	case discover:
		params = "{" + meta + "}"
	case listen:
		params = `{"notifications":{"toolsListChanged":true},` + meta + "}"
	case level:
		params = `{"level":"debug"}`
	case ping, listTools:
		if g.revision == modern {
			params = "{" + meta + "}"
		}
	}
	g.id++
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, g.id, names[s], params)
}
