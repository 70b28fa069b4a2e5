package mcp

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// maxCompletions is the number of values that one answer may hold, in all
// revisions.
const maxCompletions = 100

// A completeRequest has the params of completion/complete: what is completed (ref), the
// argument with what the user has typed so far, and the arguments that have their
// values already, which candidates may depend on (since 2025-06-18).
type completeRequest struct {
	ref struct {
		Type string `json:"type"`
		Name string `json:"name"`
		URI  string `json:"uri"`
	}
	argument struct {
		Name  *string `json:"name"`
		Value *string `json:"value"`
	}
	known struct {
		Arguments map[string]string `json:"arguments"`
	}
}

// parse reads `ref`, `argument` and the optional `context` of completion/complete. The
// name and the value of the argument must be there; the value may be empty.
func (r *completeRequest) parse(p *params.Params) *jsonrpc.Error {
	if err := params.Decode("ref", p.Other("ref"), &r.ref); err != nil {
		return err
	}
	if err := params.Decode("argument", p.Other("argument"), &r.argument); err != nil {
		return err
	}
	if r.argument.Name == nil || r.argument.Value == nil {
		return InvalidParams("argument needs a name and a value")
	}
	if known := p.Optional("context"); known != nil {
		return params.Decode("context", known, &r.known)
	}
	return nil
}

// serveComplete answers completion/complete:
// `{"completion":{"values":[…],"total":n,"hasMore":…}}` with at most maxCompletions
// values, as the specification demands (server/utilities/completion).
func serveComplete(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	var req completeRequest
	if err := req.parse(&c.params); err != nil {
		return dst, err
	}
	values, total, err := s.complete(ctx, c, &req)
	if err != nil {
		return dst, err
	}
	more := total > maxCompletions
	if len(values) > maxCompletions {
		values, more = values[:maxCompletions], true
	}
	return appendCompletion(dst, values, total, more)
}

// complete returns the candidates for the argument of a prompt or a resource template,
// and how many there are in all.
func (s *Server) complete(ctx context.Context, c *Call, req *completeRequest) ([]string, int, error) {
	switch req.ref.Type {
	case "ref/prompt":
		return s.completePrompt(ctx, c, req)
	case "ref/resource":
		return s.completeResource(ctx, c, req)
	}
	return nil, 0, InvalidParams("ref.type must be ref/prompt or ref/resource")
}

// completePrompt asks the prompt's Complete. A prompt without one has no candidates; an
// unknown one is an error (-32602, as the specification has it). An unknown argument is
// left to Complete, which has no candidates for it.
func (s *Server) completePrompt(ctx context.Context, c *Call, req *completeRequest) ([]string, int, error) {
	p, err := s.rows.promptNamed(ctx, c, req.ref.Name)
	if err != nil {
		return nil, 0, err
	}
	if p.Complete == nil {
		return nil, 0, nil
	}
	values, total, err := p.Complete(ctx, c, *req.argument.Name, *req.argument.Value, req.known.Arguments)
	if err != nil {
		return nil, 0, resourceError(p.table.wire(err))
	}
	return values, total, nil
}

// completeResource asks the Complete of the source that has the template, if the caller
// may read it. The reference is the template itself, such as ruleset://{name}, and not
// a URI made from it.
func (s *Server) completeResource(ctx context.Context, c *Call, req *completeRequest) ([]string, int, error) {
	src := s.rows.source(req.ref.URI)
	if src == nil || !src.has(req.ref.URI) {
		return nil, 0, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Unknown resource template: %s", params.Quoted(req.ref.URI))
	}
	if !c.handler.caller.Principal.Allows(src.Scope) {
		return nil, 0, permissionDenied(src.Scope)
	}
	if src.Complete == nil {
		return nil, 0, nil
	}
	values, total, err := src.Complete(ctx, c, req.ref.URI, *req.argument.Name, *req.argument.Value, req.known.Arguments)
	if err != nil {
		return nil, 0, resourceError(src.table.wire(err))
	}
	return values, total, nil
}

// has reports whether the source has the template.
func (s *boundSource) has(template string) bool {
	return slices.ContainsFunc(s.Templates, func(t ResourceTemplate) bool { return t.URITemplate == template })
}

// appendCompletion appends the member `completion` of the result. The total is at least
// the number of values, for sources that do not count.
func appendCompletion(dst []byte, values []string, total int, more bool) ([]byte, error) {
	if values == nil {
		values = []string{}
	}
	raw, err := json.Marshal(struct {
		Values  []string `json:"values"`
		Total   int      `json:"total"`
		HasMore bool     `json:"hasMore"`
	}{values, max(total, len(values)), more})
	if err != nil {
		return dst, err
	}
	return append(append(dst, `"completion":`...), raw...), nil
}
