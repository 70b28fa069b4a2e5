package mcp

import (
	"encoding/json"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// admit is the door in: it finds the revision that governs the request. The
// claim in _meta decides, else the session's handshake, else the baseline.
func (c *Call) admit(m *meta) (err *jsonrpc.Error) {
	if m.version == nil {
		c.rev = c.handler.caller.revision()
		return nil
	}
	c.rev, err = m.check()
	return err
}

// check finds the revision of a claim, and whether the rest of _meta is as
// modern revisions want it. The revision is there though the rest is not.
func (m *meta) check() (*Revision, *jsonrpc.Error) {
	if !isString(m.version) {
		return nil, InvalidParams("_meta[%q] must be a string", metaVersion)
	}
	rev := modern(m.version[1 : len(m.version)-1])
	if rev == nil {
		return nil, UnsupportedVersion(jsonrpc.Unquote(m.version))
	}
	if !isObject(m.capabilities) {
		return rev, InvalidParams("_meta[%q] must be an object", metaCapabilities)
	}
	if m.logLevel == nil {
		return rev, nil
	}
	if _, ok := parseLevel(unquoted(m.logLevel)); !ok {
		return rev, InvalidParams("_meta[%q] must be one of %s", metaLogLevel, levelNames())
	}
	return rev, nil
}

// MissingClaim is -32602 for a request whose header names a modern revision
// and whose body does not.
func MissingClaim() *jsonrpc.Error {
	return InvalidParams("params._meta must have %s and %s", metaVersion, metaCapabilities)
}

// UnsupportedVersion is -32022 with the versions a client may claim.
func UnsupportedVersion(requested string) *jsonrpc.Error {
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
	Tasks       bool      `json:"-"` // the extension
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
			var extensions map[string]json.RawMessage
			_ = json.Unmarshal(fields["extensions"], &extensions) // likewise
			c.Tasks = isObject(extensions[tasksExtension])
		}
	}
	return c
}

// Client is what the sender of this request can do.
func (c *Call) Client() ClientCapabilities {
	switch {
	case c.task != nil:
		return c.task.client
	case c.rev.Modern:
		return parseCapabilities(c.params.meta().capabilities)
	}
	if s := c.handler.caller.Session; s != nil {
		if h := s.handshake.Load(); h != nil {
			return h.client
		}
	}
	return ClientCapabilities{}
}
