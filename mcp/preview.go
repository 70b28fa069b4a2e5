package mcp

import (
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// Preview parses the params of a request and returns facts about it.
// [Handler.Reuse] avoids parsing them a second time.
func (s *Server) Preview(req *jsonrpc.Request) host.Preview {
	v := host.Preview{Parsed: params.Parsed{Request: req}}
	row := methodRows[req.Method]
	v.Probe = row != nil && row.purpose == probe
	if v.Parsed.Meta, v.Parsed.Err = v.Parsed.Params.Parse(req.Params); v.Parsed.Err != nil {
		v.Err = v.Parsed.Err
		return v
	}
	v.Silent = (row == nil || row.purpose != stream) && v.Parsed.Meta.ProgressToken == nil && v.Parsed.Meta.LogLevel == nil
	if v.Parsed.Meta.Version != nil {
		v.Claimed, v.Claim = true, params.Unquoted(v.Parsed.Meta.Version)
		v.Revision, v.Err = checkClaim(&v.Parsed.Meta)
	}
	if row != nil && row.target != noTarget {
		s.previewTarget(&v, row)
	}
	return v
}

// previewTarget determines the target of the request.
func (s *Server) previewTarget(v *host.Preview, row *method) {
	v.Named = v.Revision != nil && row.in(v.Revision) && row.target != targetFile
	v.Name = params.Unquoted(row.target.member(&v.Parsed.Params))
	switch row.target {
	case targetTool:
		if tool := s.rows.tools[v.Name]; tool != nil {
			v.Scope, v.OrScope, v.Silent = tool.Scope, tool.OrScope, v.Silent && !tool.Suspends
			v.Family, v.ReadOnly = tool.table.Family, tool.Hints&ReadOnly != 0
			if v.Claimed {
				v.Mirrored = tool.mirrored(v.Parsed.Params.Arguments)
			}
		}
	case targetPrompt:
		v.Scope = s.rows.promptScope(v.Name)
	case targetURI, targetFile:
		if src := s.rows.source(v.Name); src != nil {
			v.Scope = src.Scope
		}
	case noTarget, targetTask:
	}
}

// Reuse makes the next Handle use the params parsed by Preview. It must not be
// called while a request is being handled.
func (h *Handler) Reuse(v *host.Preview) { h.preview = v }

// mirrored returns the arguments of a call that HTTP headers mirror. A tool whose
// schemas cannot be made has none; calling it returns the reason.
func (t *Tool) mirrored(arguments []byte) []host.Mirrored {
	f, err := t.forms()
	if err != nil {
		return nil
	}
	var all []host.Mirrored
	for _, p := range f.headers {
		value := arguments
		for _, name := range p.Path {
			value = params.ValueOf(value, name)
		}
		all = append(all, host.Mirrored{Header: p.Header, Value: value})
	}
	return all
}
