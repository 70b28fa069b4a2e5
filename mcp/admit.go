package mcp

import (
	"strings"
	"unicode"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// admit determines the revision that governs the request: the one claimed in _meta, else
// that of the session's handshake, else the baseline.
func (c *Call) admit(m *params.Meta) (err *jsonrpc.Error) {
	if m.Version == nil {
		c.rev = c.handler.governing()
		return nil
	}
	c.rev.Revision, err = checkClaim(m)
	return err
}

// checkClaim returns the revision of a claim, and an error if the rest of _meta lacks
// what modern revisions require. It returns the revision even with an error, so
// that the error has the form of that revision.
func checkClaim(m *params.Meta) (*host.Revision, *jsonrpc.Error) {
	if !params.IsString(m.Version) {
		return nil, host.Explained(host.Negotiate(""), InvalidParams("_meta[%q] must be a string", params.MetaVersion))
	}
	rev := host.Modern(m.Version[1 : len(m.Version)-1])
	if rev == nil {
		return nil, host.UnsupportedVersion(jsonrpc.Unquote(m.Version))
	}
	if !params.IsObject(m.Capabilities) {
		return rev, InvalidParams("_meta[%q] must be an object", params.MetaCapabilities)
	}
	if m.LogLevel == nil {
		return rev, nil
	}
	if _, ok := parseLevel(params.Unquoted(m.LogLevel)); !ok {
		return rev, InvalidParams("_meta[%q] must be one of %s", params.MetaLogLevel, levelNames())
	}
	return rev, nil
}

// parseCapabilities parses the client's capabilities. Members that are unknown or
// have an unexpected form count as absent.
func parseCapabilities(raw []byte) (c host.ClientCapabilities) {
	elicitation := params.ValueOf(raw, "elicitation")
	c.Roots = params.IsObject(params.ValueOf(raw, "roots"))
	c.Sampling = params.IsObject(params.ValueOf(raw, "sampling"))
	c.URLs = params.IsObject(params.ValueOf(elicitation, "url"))
	// An empty object means forms only (2025-11-25, client/elicitation).
	c.Forms = params.IsObject(elicitation) && (!c.URLs || params.IsObject(params.ValueOf(elicitation, "form")))
	extensions := params.ValueOf(raw, "extensions")
	c.Tasks = params.IsObject(params.ValueOf(extensions, tasksExtension))
	c.OutputSchemas = params.IsObject(params.ValueOf(extensions, host.OutputSchemasExtension)) ||
		params.IsObject(params.ValueOf(params.ValueOf(raw, "experimental"), host.OutputSchemasExtension)) // for revisions without extensions
	return c
}

// Client returns the capabilities of the client that sent the request.
func (c *Call) Client() host.ClientCapabilities {
	switch {
	case c.task != nil:
		return c.task.client
	case c.rev.Modern:
		return parseCapabilities(c.params.Meta().Capabilities)
	}
	if s := c.handler.caller.Session; s != nil {
		return s.Client()
	}
	return host.ClientCapabilities{}
}

// maxClientName limits the length of a client's name in bytes; longer names are
// truncated.
const maxClientName = 100

// ClientName returns the name and version that the client gave for itself, such
// as "cursor 1.7", or "" if it did not give any.
func (c *Call) ClientName() string {
	if c.rev.Modern {
		return clientName(c.params.Meta().Client)
	}
	if s := c.handler.caller.Session; s != nil {
		return s.ClientName()
	}
	return ""
}

// clientName returns the name and version in a clientInfo, without control characters.
func clientName(info []byte) string {
	var words []string
	for _, member := range []string{"name", "version"} {
		if word, err := params.Text(member, params.ValueOf(info, member)); err == nil && word != "" {
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
