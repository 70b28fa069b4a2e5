package mcp

import (
	"encoding/json"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// admit is the door in: it finds the revision that governs the request. The
// claim in _meta decides, else the session's handshake, else the baseline.
func (c *Call) admit() *jsonrpc.Error {
	if c.params.meta.version != nil {
		return c.admitModern()
	}
	c.rev = baseline
	if s := c.handler.caller.Session; s != nil {
		c.rev = s.Revision()
	}
	return nil
}

func (c *Call) admitModern() *jsonrpc.Error {
	m := &c.params.meta
	if !isString(m.version) {
		return InvalidParams("_meta[%q] must be a string", metaVersion)
	}
	name := m.version[1 : len(m.version)-1]
	if c.rev = modern(name); c.rev == nil {
		return unsupportedVersion(jsonrpc.Unquote(m.version))
	}
	if !isObject(m.capabilities) {
		return InvalidParams("_meta[%q] must be an object", metaCapabilities)
	}
	if m.logLevel == nil {
		return nil
	}
	if _, ok := parseLevel(unquoted(m.logLevel)); !ok {
		return InvalidParams("_meta[%q] must be one of %s", metaLogLevel, levelNames())
	}
	return nil
}

func unsupportedVersion(requested string) *jsonrpc.Error {
	err := &jsonrpc.Error{Code: CodeUnsupportedVersion, Message: "Unsupported protocol version: " + requested}
	return err.WithData(struct {
		Supported []string `json:"supported"`
		Requested string   `json:"requested"`
	}{modernNames(), requested})
}

// ClientCapabilities are what a client says it can do.
type ClientCapabilities struct {
	Roots       *struct{} `json:"roots"`
	Sampling    *sampling `json:"sampling"`
	Elicitation *elicits  `json:"elicitation"`
}

type sampling struct {
	Tools *struct{} `json:"tools"`
}

// elicits says by which ways a client asks its user; an empty object means
// forms only.
type elicits struct {
	Form *struct{} `json:"form"`
	URL  *struct{} `json:"url"`
}

// parseCapabilities reads the client's capabilities; members that it does not
// know or that have another form than expected count as absent.
func parseCapabilities(raw []byte) (c ClientCapabilities) {
	if isObject(raw) {
		var fields map[string]json.RawMessage
		if json.Unmarshal(raw, &fields) == nil {
			_ = json.Unmarshal(fields["roots"], &c.Roots)             // another form: not declared
			_ = json.Unmarshal(fields["sampling"], &c.Sampling)       // likewise
			_ = json.Unmarshal(fields["elicitation"], &c.Elicitation) // likewise
		}
	}
	return c
}

// client is what the sender of this request can do.
func (c *Call) client() ClientCapabilities {
	if c.rev.Modern {
		return parseCapabilities(c.params.meta.capabilities)
	}
	if s := c.handler.caller.Session; s != nil {
		if h := s.handshake.Load(); h != nil {
			return h.client
		}
	}
	return ClientCapabilities{}
}
