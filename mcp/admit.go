package mcp

import (
	"strings"
	"unicode"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// admit determines the revision that governs the request: the one claimed in _meta, else
// that of the session's handshake, else the baseline.
func (c *Call) admit(m *meta) (err *jsonrpc.Error) {
	if m.version == nil {
		c.rev.Revision = c.handler.caller.revision()
		return nil
	}
	c.rev.Revision, err = m.check()
	return err
}

// check returns the revision of a claim, and an error if the rest of _meta lacks
// what modern revisions require. It returns the revision even with an error, so
// that the error has the form of that revision.
func (m *meta) check() (*host.Revision, *jsonrpc.Error) {
	if !isString(m.version) {
		return nil, Explained(host.Negotiate(""), InvalidParams("_meta[%q] must be a string", metaVersion))
	}
	rev := host.Modern(m.version[1 : len(m.version)-1])
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

// MissingClaim returns the error -32602 for a request whose header names a modern
// revision and whose body does not.
func MissingClaim() *jsonrpc.Error {
	return InvalidParams("params._meta must have %s and %s", metaVersion, metaCapabilities)
}

// UnsupportedVersion returns the error -32022. Its data lists the versions that a
// client may claim, as server/discover does: the official suite compares the two.
func UnsupportedVersion(requested string) *jsonrpc.Error {
	err := &jsonrpc.Error{Code: host.CodeUnsupportedVersion, Message: "Unsupported protocol version: " + quoted(requested)}
	return err.WithData(struct {
		Supported []string `json:"supported"`
		Requested string   `json:"requested"`
	}{host.ModernNames(), quoted(requested)})
}

// ClientCapabilities are the capabilities that a client has declared.
type ClientCapabilities struct {
	Roots    bool
	Sampling bool
	// Forms and URLs report the modes of elicitation that the client
	// supports.
	Forms, URLs bool
	Tasks       bool // the extension for tasks
	// OutputSchemas reports whether the client wants outputSchema in lists.
	OutputSchemas bool
}

// parseCapabilities parses the client's capabilities. Members that are unknown or
// have an unexpected form count as absent.
func parseCapabilities(raw []byte) (c ClientCapabilities) {
	elicitation := valueOf(raw, "elicitation")
	c.Roots = isObject(valueOf(raw, "roots"))
	c.Sampling = isObject(valueOf(raw, "sampling"))
	c.URLs = isObject(valueOf(elicitation, "url"))
	// An empty object means forms only (2025-11-25, client/elicitation).
	c.Forms = isObject(elicitation) && (!c.URLs || isObject(valueOf(elicitation, "form")))
	extensions := valueOf(raw, "extensions")
	c.Tasks = isObject(valueOf(extensions, tasksExtension))
	c.OutputSchemas = isObject(valueOf(extensions, OutputSchemasExtension)) ||
		isObject(valueOf(valueOf(raw, "experimental"), OutputSchemasExtension)) // for revisions without extensions
	return c
}

// Client returns the capabilities of the client that sent the request.
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

// maxClientName limits the length of a client's name in bytes; longer names are
// truncated.
const maxClientName = 100

// ClientName returns the name and version that the client gave for itself, such
// as "cursor 1.7", or "" if it did not give any.
func (c *Call) ClientName() string {
	if c.rev.Modern {
		return clientName(c.params.meta().client)
	}
	if s := c.handler.caller.Session; s != nil {
		if h := s.handshake.Load(); h != nil {
			return h.name
		}
	}
	return ""
}

// clientName returns the name and version in a clientInfo, without control characters.
func clientName(info []byte) string {
	var words []string
	for _, member := range []string{"name", "version"} {
		if word, err := text(member, valueOf(info, member)); err == nil && word != "" {
			words = append(words, word)
		}
	}
	name := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.Join(words, " "))
	if len(name) > maxClientName {
		name = strings.ToValidUTF8(name[:maxClientName], "")
	}
	return name
}
