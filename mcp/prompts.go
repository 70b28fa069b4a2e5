package mcp

import (
	"context"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

func servePromptsList(_ context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	if _, err := c.position(); err != nil {
		return dst, err
	}
	dst = append(dst, `"prompts":[`...)
	first := true
	for _, p := range s.prompts {
		if !c.handler.caller.Principal.Allows(p.Scope) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = c.rev.appendPrompt(dst, p.Prompt)
	}
	return append(dst, ']'), nil
}

func servePromptsGet(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	name, rpcErr := nameMember("name", c.params.name)
	if rpcErr != nil {
		return dst, rpcErr
	}
	p := s.byName[name]
	if p == nil {
		return dst, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Unknown prompt: %s", name)
	}
	if !c.handler.caller.Principal.Allows(p.Scope) {
		return dst, permissionDenied(p.Scope)
	}
	args, rpcErr := p.arguments(c.params.arguments)
	if rpcErr != nil {
		return dst, rpcErr
	}
	result, err := p.Get(ctx, c, args)
	if err != nil {
		return dst, resourceError(p.table.wire(err))
	}
	return c.rev.appendPromptResult(dst, result), nil
}

// arguments decodes and checks the arguments of a prompt.
func (p *boundPrompt) arguments(raw []byte) (map[string]string, *jsonrpc.Error) {
	args := map[string]string{}
	if raw != nil {
		if err := decode("arguments", raw, &args); err != nil {
			return nil, InvalidParams("arguments must be an object of strings")
		}
	}
	for _, a := range p.Args {
		if _, ok := args[a.Name]; a.Required && !ok {
			return nil, InvalidParams("missing required argument %q", a.Name)
		}
	}
	return args, nil
}
