package attack_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

// A client speaks with one server from one address.
type client struct {
	*http.Client
	server *server
	token  string
}

// client is one with a key, from an address such as 127.0.0.9; "" is any.
// HTTP/1.1 unless two.
func (s *server) client(t *testing.T, token, from string, two bool) *client {
	t.Helper()
	dialer := &net.Dialer{}
	if from != "" {
		dialer.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(from), 0))
	}
	transport := &http.Transport{
		DialContext: dialer.DialContext, TLSClientConfig: s.tls.Clone(), ForceAttemptHTTP2: two, MaxIdleConnsPerHost: 100,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &client{&http.Client{Transport: transport, Timeout: patience}, s, token}
}

// A reply is an HTTP answer with the JSON-RPC message in it.
type reply struct {
	status int
	header http.Header
	text   string
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    struct {
			Details string `json:"details"`
			Limit   int64  `json:"limit"`
			Used    int64  `json:"used"`
		} `json:"data"`
	} `json:"error"`
}

// code is the error's, 0 for a result.
func (r *reply) code() int {
	if r.Error == nil {
		return 0
	}
	return r.Error.Code
}

// request makes a request of the client. Headers are pairs of names and values;
// an empty value removes one.
func (c *client) request(ctx context.Context, method, body string, headers ...string) (*http.Request, error) {
	if method == http.MethodGet { // one with a body is refused before anything else is looked at
		body = ""
	}
	req, err := http.NewRequestWithContext(ctx, method, c.server.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	for i := 0; i < len(headers); i += 2 {
		switch name, value := headers[i], headers[i+1]; {
		case name == "Host":
			req.Host = value
		case value == "":
			req.Header.Del(name)
		default:
			req.Header.Set(name, value)
		}
	}
	return req, nil
}

// try sends a request and reads its answer.
func (c *client) try(ctx context.Context, method, body string, headers ...string) (*reply, error) {
	req, err := c.request(ctx, method, body, headers...)
	if err != nil {
		return nil, err
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	r := &reply{status: resp.StatusCode, header: resp.Header, text: string(text)}
	if bytes.HasPrefix(text, []byte("{")) {
		err = json.Unmarshal(text, r)
	}
	return r, err
}

// post sends a message.
func (c *client) post(t *testing.T, body string, headers ...string) *reply {
	t.Helper()
	return c.send(t, http.MethodPost, body, headers...)
}

func (c *client) send(t *testing.T, method, body string, headers ...string) *reply {
	t.Helper()
	r, err := c.try(t.Context(), method, body, headers...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// is checks a reply's status and code. Every refusal is JSON.
func (r *reply) is(t *testing.T, what string, status, code int) {
	t.Helper()
	if r.status != status || r.code() != code {
		t.Errorf("%s: got %d with code %d, want %d with %d: %s", what, r.status, r.code(), status, code, r.text)
	}
	if kind := r.header.Get("Content-Type"); r.text != "" && kind != "application/json" {
		t.Errorf("%s: Content-Type: %s, want application/json", what, kind)
	}
}

// line is a request.
func line(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
}

// tool is a request to call a tool.
func tool(name, arguments string) string {
	return line("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
}

// create is a request that leaves a trace.
func create(name string) string {
	return tool("create_ruleset", fmt.Sprintf(`{"name":%q,"description":"left behind","markdown":"# Trace"}`, name))
}

var (
	ping = line("ping", "{}")
	list = line("tools/list", "{}")
)
