package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// serveInitialize negotiates the revision of a legacy session (basic/lifecycle): the
// one that the client asks for if the server has it, else the latest legacy one, with
// which the client may continue or disconnect. A client that sends no protocolVersion
// stays on the baseline.
//
// A second initialize on the same session begins it again: its subscriptions end, and
// the new revision and capabilities replace the old ones.
func serveInitialize(_ context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	rev := host.BaselineRevision()
	if version := c.params.Optional("protocolVersion"); version != nil {
		asked, err := params.Text("protocolVersion", version)
		if err != nil {
			return dst, err
		}
		rev = host.Negotiate(asked)
	}
	capabilities := c.params.Optional("capabilities")
	if capabilities != nil && !params.IsObject(capabilities) {
		return dst, InvalidParams("capabilities must be an object")
	}
	c.rev = s.shapesFor(rev)
	if session := c.handler.caller.Session; session != nil {
		s.budget.give(c.handler.caller.Principal.ID, session.State.DropSubscriptions(false))
		session.Begin(rev, parseCapabilities(capabilities), clientName(c.params.Optional("clientInfo")))
	}
	dst = append(dst, `"protocolVersion":`...)
	dst = jsonrpc.AppendString(dst, rev.Answers)
	dst = append(append(dst, `,"capabilities":`...), s.rows.capabilities(c.rev)...)
	dst = append(append(dst, `,"serverInfo":`...), s.identity(c.rev)...)
	return s.rows.appendInstructions(dst, c.rev), nil
}

// servePing answers ping with an empty result (basic/utilities/ping).
func servePing(_ context.Context, _ *Server, _ *Call, dst []byte) ([]byte, error) {
	return dst, nil
}

// serveDiscover answers server/discover (2026-07-28) with the revisions without a
// handshake that the server supports, its capabilities and its instructions.
func serveDiscover(_ context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	versions, err := json.Marshal(host.ModernNames())
	if err != nil {
		return dst, err
	}
	dst = append(append(dst, `"supportedVersions":`...), versions...)
	dst = append(append(dst, `,"capabilities":`...), s.rows.capabilities(c.rev)...)
	return s.rows.appendInstructions(dst, c.rev), nil
}

// capabilities returns the server's capabilities as JSON: for baseline clients
// those in the families' documents, for others those that the server has. It depends
// on the revision alone, not on the caller: a client whose key may see no prompt is
// told of prompts and gets an empty list.
func (r *rows) capabilities(rev revision) []byte {
	if rev.Has(host.DocumentedShapes) {
		return r.documentedCapabilities()
	}
	dst := []byte{'{'}
	add := func(on bool, text string) {
		if on && len(dst) > 1 {
			dst = append(dst, ',')
		}
		if on {
			dst = append(dst, text...)
		}
	}
	changing := r.changing()
	add(r.offers(hasTools), `"tools":{`+listChanged(changing&CapabilityTools)+`}`)
	add(r.offers(hasResources) && changing&CapabilityResources != 0, `"resources":{"subscribe":true,"listChanged":true}`)
	add(r.offers(hasResources) && changing&CapabilityResources == 0, `"resources":{"subscribe":true}`)
	add(r.offers(hasPrompts), `"prompts":{`+listChanged(changing&CapabilityPrompts)+`}`)
	add(rev.Has(host.Completions) && r.offers(hasCompletions), `"completions":{}`)
	add(true, `"logging":{}`)
	extensions := r.extensions(rev)
	add(extensions != "", `"extensions":{`+extensions+`}`)
	return append(dst, '}')
}

// extensions returns the server's extensions in a revision, as JSON members.
func (r *rows) extensions(rev revision) string {
	var members []string
	if rev.Has(host.Extensions) && r.offers(hasTasks) {
		members = append(members, `"`+tasksExtension+`":{}`)
	}
	if rev.Has(host.Skills) && r.offers(hasSkills) {
		members = append(members, `"`+skillsExtension+`":{`+directoryRead(r.offers(hasDirectories))+`}`)
	}
	return strings.Join(members, ",")
}

// directoryRead returns the setting of the skills extension by which a server offers
// resources/directory/read, or nothing.
func directoryRead(offered bool) string {
	if !offered {
		return ""
	}
	return `"directoryRead":true`
}

// listChanged returns the member that promises notifications of changes, or
// nothing if no list changes.
func listChanged(changing Capabilities) string {
	if changing == 0 {
		return ""
	}
	return `"listChanged":true`
}

// documentedCapabilities returns the capabilities as the documents of the
// families show them, byte for byte, for clients that name no revision.
func (r *rows) documentedCapabilities() []byte {
	dst, shown := []byte{'{'}, r.documented()
	for _, row := range []struct {
		offer Capabilities
		text  string
	}{
		{CapabilityResources, `"resources":{"subscribe":false,"listChanged":false}`},
		{CapabilityTools, `"tools":{}`},
		{CapabilityPrompts, `"prompts":{}`},
		{CapabilityLogging, `"logging":{}`},
	} {
		if shown&row.offer == 0 {
			continue
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(dst, row.text...)
	}
	return append(dst, '}')
}

// identity returns the serverInfo as JSON: the documented one for baseline
// clients of a server with a single family, our own otherwise.
func (s *Server) identity(rev revision) []byte { return s.identities[rev] }

// identify renders the serverInfo for each revision. It runs once, when the server is
// made, because modern results all contain it.
func (s *Server) identify() (map[revision][]byte, error) {
	all := map[revision][]byte{}
	for _, rev := range append(host.Revisions(), host.UndocumentedRevision()) {
		id := Implementation{Name: s.cfg.Name, Version: s.cfg.Version}
		if rev.Has(host.DocumentedShapes) && len(s.rows.tables) == 1 && s.rows.tables[0].Documented != nil {
			id = s.rows.tables[0].Documented.Identity
		}
		if rev.Has(host.Titles) {
			id.Title = s.cfg.Title
		}
		raw, err := json.Marshal(id)
		if err != nil {
			return nil, err
		}
		all[revision{rev}] = raw
	}
	return all, nil
}

// appendInstructions appends the member `instructions`, the families' hints for
// models, with an empty line between families. Baseline clients get none, since the
// documents show none.
func (r *rows) appendInstructions(dst []byte, rev revision) []byte {
	if rev.Has(host.DocumentedShapes) {
		return dst
	}
	all := ""
	for _, t := range r.tables {
		if t.Instructions != "" && all != "" {
			all += "\n\n"
		}
		all += t.Instructions
	}
	if all == "" {
		return dst
	}
	return jsonrpc.AppendString(append(dst, `,"instructions":`...), all)
}

// serveSetLevel answers logging/setLevel, which sets the level of the session in
// legacy revisions; since 2026-07-28 each request names its level. Without a
// session nothing is set, and the answer is the same.
func serveSetLevel(_ context.Context, _ *Server, c *Call, dst []byte) ([]byte, error) {
	name, rpcErr := params.Text("level", c.params.Other("level"))
	if rpcErr != nil {
		return dst, rpcErr
	}
	level, ok := parseLevel(name)
	if !ok {
		return dst, InvalidParams("level must be one of %s", levelNames())
	}
	if s := c.handler.caller.Session; s != nil {
		s.State.SetLevel(int(level))
	}
	return dst, nil
}
