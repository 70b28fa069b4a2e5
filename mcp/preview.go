package mcp

import "github.com/triptych-mcp/triptych/jsonrpc"

// A Preview holds facts of a request that a transport needs before it is served:
// the claim of a modern revision, the values that HTTP headers of such a revision
// repeat, and whether it is a probe. It shares memory with the request.
type Preview struct {
	// Claimed reports whether the request states a revision in _meta.
	Claimed bool
	// Claim is the revision as stated, "" when it is no string.
	Claim string
	// Revision is the row of the claim, nil when it is none of ours.
	Revision *Revision
	// Err reports a mistake in the claim or in the rest of _meta.
	Err *jsonrpc.Error
	// Name is the tool, prompt, resource or task; Named reports whether Revision
	// has the method and its requests repeat the name in a header.
	Name  string
	Named bool
	// Family is the family of the tool that the request calls, "" if it calls none, and
	// ReadOnly reports whether the tool only reads.
	Family   string
	ReadOnly bool
	// Mirrored are the arguments that have a header of their own.
	Mirrored []Mirrored
	// Silent reports whether serving the request sends nothing to the client
	// before the answer, unless its session wants messages or can be asked; see
	// [Session.Silent].
	Silent bool
	// Probe reports whether the request only asks whether a server is there:
	// no quota counts it, it is not recorded and needs no store.
	Probe bool

	request *jsonrpc.Request
	params  params
	meta    meta
	bad     *jsonrpc.Error // why params could not be parsed
	scope   Scope          // that the target asks for
}

// A Mirrored is an argument of a tool that a header repeats, by the
// x-mcp-header of its schema (2026-07-28, Streamable HTTP).
type Mirrored struct {
	// Header is the part after Mcp-Param-.
	Header string
	// Value is the argument as JSON, nil when it is null or absent.
	Value []byte
}

// Preview parses the params of a request and says what it is about.
// [Handler.Reuse] saves the second parse.
func (s *Server) Preview(req *jsonrpc.Request) Preview {
	v := Preview{request: req}
	row := methodRows[req.Method]
	v.Probe = row != nil && row.purpose == probe
	if v.meta, v.bad = v.params.parse(req.Params); v.bad != nil {
		v.Err = v.bad
		return v
	}
	v.Silent = (row == nil || row.purpose != stream) && v.meta.progressToken == nil && v.meta.logLevel == nil
	if v.meta.version != nil {
		v.Claimed, v.Claim = true, unquoted(v.meta.version)
		v.Revision, v.Err = v.meta.check()
	}
	if row != nil && row.target != noTarget {
		s.previewTarget(&v, row)
	}
	return v
}

// previewTarget finds what the request names.
func (s *Server) previewTarget(v *Preview, row *method) {
	v.Named = v.Revision != nil && row.in(v.Revision) && row.target != targetFile
	v.Name = unquoted(row.target.member(&v.params))
	switch row.target {
	case targetTool:
		if tool := s.tools[v.Name]; tool != nil {
			v.scope, v.Silent = tool.Scope, v.Silent && !tool.Suspends
			v.Family, v.ReadOnly = tool.table.Family, tool.Hints&ReadOnly != 0
			if v.Claimed {
				v.Mirrored = tool.mirrored(v.params.arguments)
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

// Denied reports whether the request will be refused because the principal
// lacks the right that its tool, prompt or resource asks for.
func (v *Preview) Denied(who Principal) bool { return !who.Allows(v.scope) }

// Reuse makes Handle take the parsed params of the request from its preview. It
// must not be called while a request is being handled.
func (h *Handler) Reuse(v *Preview) { h.preview = v }

// mirrored are the arguments of a call that HTTP headers repeat. A tool without
// forms has none, and says why when it is called.
func (t *Tool) mirrored(arguments []byte) []Mirrored {
	f, err := t.forms()
	if err != nil {
		return nil
	}
	var all []Mirrored
	for _, p := range f.headers {
		value := arguments
		for _, name := range p.Path {
			value = valueOf(value, name)
		}
		all = append(all, Mirrored{Header: p.Header, Value: value})
	}
	return all
}

// valueOf is the value of a member, nil when it is null, absent or twice there
// with the last one winning, as the decoder of the arguments refuses that.
func valueOf(object []byte, name string) (value []byte) {
	if !isObject(object) {
		return nil
	}
	members := jsonrpc.Members(object)
	for members.Next() {
		if string(members.Key()) == name {
			value = members.Value()
		}
	}
	if isNull(value) {
		return nil
	}
	return value
}
