package mcp

import (
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/internal/params"

	"github.com/triptych-mcp/triptych/mcp/host"
)

// A Preview holds facts about a request that a transport needs before the request
// is served: the claim of a modern revision, the values that HTTP headers of such
// a revision mirror, and whether it is a probe. It shares memory with the
// request.
type Preview struct {
	// Claimed reports whether the request names a revision in _meta.
	Claimed bool
	// Claim is the revision as named, or "" if it is not a string.
	Claim string
	// Revision is the claimed revision, or nil if it is unknown.
	Revision *host.Revision
	// Err reports a mistake in the claim or in the rest of _meta.
	Err *jsonrpc.Error
	// Name is the tool, prompt, resource or task. Named reports whether
	// Revision has the method and its HTTP header mirrors the name.
	Name  string
	Named bool
	// Family is the family of the tool that the request calls, or "" if it
	// calls none. ReadOnly reports whether the tool only reads.
	Family   string
	ReadOnly bool
	// Mirrored holds the arguments that HTTP headers mirror.
	Mirrored []Mirrored
	// Silent reports whether serving the request sends nothing to the client
	// before the answer, unless its session receives messages or can be
	// asked; see [Session.Silent].
	Silent bool
	// Probe reports whether the request only checks that a server is there.
	// It is neither charged to a quota nor recorded, and needs no store.
	Probe bool

	request *jsonrpc.Request
	params  params.Params
	meta    params.Meta
	bad     *jsonrpc.Error // error of parsing params
	scope   Scope          // scope that the target requires
	orScope Scope          // scope that serves as well, "" for none
}

// A Mirrored is an argument of a tool that an HTTP header mirrors, as given by
// x-mcp-header in its schema (2026-07-28, Streamable HTTP).
type Mirrored struct {
	// Header is the part of the header's name after Mcp-Param-.
	Header string
	// Value is the argument as JSON, or nil if it is null or absent.
	Value []byte
}

// Preview parses the params of a request and returns facts about it.
// [Handler.Reuse] avoids parsing them a second time.
func (s *Server) Preview(req *jsonrpc.Request) Preview {
	v := Preview{request: req}
	row := methodRows[req.Method]
	v.Probe = row != nil && row.purpose == probe
	if v.meta, v.bad = v.params.Parse(req.Params); v.bad != nil {
		v.Err = v.bad
		return v
	}
	v.Silent = (row == nil || row.purpose != stream) && v.meta.ProgressToken == nil && v.meta.LogLevel == nil
	if v.meta.Version != nil {
		v.Claimed, v.Claim = true, params.Unquoted(v.meta.Version)
		v.Revision, v.Err = checkClaim(&v.meta)
	}
	if row != nil && row.target != noTarget {
		s.previewTarget(&v, row)
	}
	return v
}

// previewTarget determines the target of the request.
func (s *Server) previewTarget(v *Preview, row *method) {
	v.Named = v.Revision != nil && row.in(v.Revision) && row.target != targetFile
	v.Name = params.Unquoted(row.target.member(&v.params))
	switch row.target {
	case targetTool:
		if tool := s.tools[v.Name]; tool != nil {
			v.scope, v.orScope, v.Silent = tool.Scope, tool.OrScope, v.Silent && !tool.Suspends
			v.Family, v.ReadOnly = tool.table.Family, tool.Hints&ReadOnly != 0
			if v.Claimed {
				v.Mirrored = tool.mirrored(v.params.Arguments)
			}
		}
	case targetPrompt:
		v.scope = s.promptScope(v.Name)
	case targetURI, targetFile:
		if src := s.source(v.Name); src != nil {
			v.scope = src.Scope
		}
	case noTarget, targetTask:
	}
}

// Denied reports whether the request will be rejected because the principal lacks
// the scope that its tool, prompt or resource requires.
func (v *Preview) Denied(who Principal) bool {
	return !who.Allows(v.scope) && (v.orScope == "" || !who.Allows(v.orScope))
}

// Reuse makes the next Handle use the params parsed by Preview. It must not be
// called while a request is being handled.
func (h *Handler) Reuse(v *Preview) { h.preview = v }

// mirrored returns the arguments of a call that HTTP headers mirror. A tool whose
// schemas cannot be made has none; calling it returns the reason.
func (t *Tool) mirrored(arguments []byte) []Mirrored {
	f, err := t.forms()
	if err != nil {
		return nil
	}
	var all []Mirrored
	for _, p := range f.headers {
		value := arguments
		for _, name := range p.Path {
			value = params.ValueOf(value, name)
		}
		all = append(all, Mirrored{Header: p.Header, Value: value})
	}
	return all
}
