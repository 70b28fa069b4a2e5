package mcp

import (
	"context"
	"maps"
	"slices"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// servePromptsList answers prompts/list (server/prompts) with the prompts in the
// tables' rows, then with those of the sources, in pages. The rows are the first
// part of the list and are few: they are all on the first page. A source of which
// the caller lacks the scope is skipped without an error, so that a list never
// tells what the caller may not see.
func servePromptsList(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	return c.appendPage(dst, "prompts", 1+len(s.rows.promptsOf), heavyPage, func(dst []byte, p *page, i int, after string) ([]byte, string, error) {
		if i == 0 {
			return c.appendPromptRows(dst, p), "", nil
		}
		src := s.rows.promptsOf[i-1]
		if !c.handler.caller.Principal.Allows(src.Scope) || src.Extension && c.rev == baseline {
			return dst, "", nil
		}
		items, next, err := src.List(ctx, c, after, p.limit())
		if err != nil {
			return dst, "", src.table.wire(err)
		}
		for i := range items {
			if s.rows.byName[items[i].Name] == nil { // a row takes precedence over a source's prompt of the same name
				dst = c.rev.appendPrompt(appendComma(dst, p.from), items[i].listed())
			}
		}
		p.filled(len(items))
		return dst, next, nil
	})
}

// appendPromptRows appends the rows that the caller may see.
func (c *Call) appendPromptRows(dst []byte, p *page) []byte {
	for _, row := range c.handler.server.rows.prompts {
		if c.handler.caller.Principal.Allows(row.Scope) && (!row.Extension || c.rev != baseline) {
			dst = c.rev.appendPrompt(appendComma(dst, p.from), row.Prompt)
		}
	}
	return dst
}

// maxPromptArguments limits the arguments that a list shows of a prompt of a source.
// Users write these prompts, for example as front matter of a ruleset, and one of
// them must not fill a page. prompts/get accepts all arguments.
const maxPromptArguments = 32

// listed returns the prompt with texts and arguments truncated for a list.
func (p *Prompt) listed() *Prompt {
	short := *p
	short.Doc = shortened(p.Doc)
	short.Args = make([]PromptArgument, min(len(p.Args), maxPromptArguments))
	for i := range short.Args {
		short.Args[i] = p.Args[i]
		short.Args[i].Name, short.Args[i].Doc = params.Quoted(p.Args[i].Name), params.Quoted(p.Args[i].Doc)
	}
	return &short
}

// promptScope returns the scope of a prompt, which may not exist. Transports and the
// audit trail need it before the prompt is looked up. It is empty if only a look-up
// could find it.
func (r *rows) promptScope(name string) Scope {
	if row := r.byName[name]; row != nil {
		return row.Scope
	}
	if len(r.promptsOf) == 1 { // with several sources, the scope is unknown before they were asked
		return r.promptsOf[0].Scope
	}
	return ""
}

// promptNamed returns the prompt with a name, if the caller may get it. Rows come
// before sources. A source that the caller may not read is not asked; if no other has
// the prompt, the answer is that the permission is missing, whether the prompt exists
// or not.
func (r *rows) promptNamed(ctx context.Context, c *Call, name string) (*boundPrompt, error) {
	if row := r.byName[name]; row != nil {
		if !c.handler.caller.Principal.Allows(row.Scope) {
			return nil, permissionDenied(row.Scope)
		}
		return row, nil
	}
	var denied error
	for _, src := range r.promptsOf {
		if !c.handler.caller.Principal.Allows(src.Scope) {
			denied = permissionDenied(src.Scope)
			continue
		}
		found, err := src.Find(ctx, c, name)
		if err != nil {
			return nil, resourceError(src.table.wire(err))
		}
		if found != nil {
			return &boundPrompt{found, src.table}, nil
		}
	}
	if denied != nil {
		return nil, denied
	}
	return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Unknown prompt: %s", params.Quoted(name))
}

// servePromptsGet answers prompts/get. If an argument is missing, it returns the
// error -32602 that names it (server/prompts, "Error Handling"). A result that is too
// large to send is an internal error: unlike the result of a tool, it has no form that
// refers to a resource.
func servePromptsGet(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	name, rpcErr := params.NameMember("name", c.params.Name)
	if rpcErr != nil {
		return dst, rpcErr
	}
	p, err := s.rows.promptNamed(ctx, c, name)
	if err != nil {
		return dst, err
	}
	args, rpcErr := p.arguments(c.params.Arguments)
	if rpcErr != nil {
		return dst, rpcErr
	}
	result, err := p.Get(ctx, c, args)
	if err != nil {
		return dst, resourceError(p.table.wire(err))
	}
	from := len(dst)
	dst = c.rev.appendPromptResult(dst, result)
	if size := len(dst) - from; size > MaxAnswer {
		return dst, jsonrpc.Errorf(jsonrpc.CodeInternalError, "Internal error").
			WithDetails("the prompt has %d bytes; at most %d can be sent", size, MaxAnswer)
	}
	return dst, nil
}

// arguments decodes and checks the arguments of a prompt: all of them are strings,
// the required ones must be there, and unknown ones are refused, in the order of their
// names, since a mistyped argument would otherwise be ignored in silence.
func (p *boundPrompt) arguments(raw []byte) (map[string]string, *jsonrpc.Error) {
	args := map[string]string{}
	if raw != nil {
		if err := params.Decode("arguments", raw, &args); err != nil {
			return nil, InvalidParams("arguments must be an object of strings")
		}
	}
	for _, a := range p.Args {
		if _, ok := args[a.Name]; a.Required && !ok {
			return nil, InvalidParams("missing required argument %q", a.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !slices.ContainsFunc(p.Args, func(a PromptArgument) bool { return a.Name == name }) {
			return nil, InvalidParams("unknown argument %q", params.Quoted(name))
		}
	}
	return args, nil
}
