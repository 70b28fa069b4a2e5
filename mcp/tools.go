package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// A listKey names a rendered list: the revision, and which of the scopes that
// the tools ask for the caller has. Other scopes of a caller make no difference,
// so there are few lists however many kinds of keys there are.
type listKey struct {
	rev     revision
	scopes  string
	outputs bool // with outputSchema
}

// scopesKey returns one byte for each scope of the tools, and the principal's
// toolsets. It bounds the rendered lists: there are no more keys than combinations of
// scopes and toolsets that administrators have given to keys.
func (r *rows) scopesKey(p host.Principal) string {
	var room [32]byte
	key := room[:0]
	for _, scope := range r.toolScopes {
		if p.Allows(scope) {
			key = append(key, '+')
		} else {
			key = append(key, '-')
		}
	}
	for _, set := range p.Toolsets {
		key = append(append(key, ' '), set...)
	}
	return string(key)
}

// serveToolsList answers tools/list (server/tools) with the tools that the caller may
// call, all on one page; a cursor is checked nevertheless. The bytes are made once for
// each revision and set of rights, since every client asks for them when it starts.
func serveToolsList(_ context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	if _, err := c.position(); err != nil {
		return dst, err
	}
	caller := &c.handler.caller
	if caller.Tools != nil { // a client can make up any number of selections: none is kept
		list, err := s.renderTools(c)
		return append(dst, list...), err
	}
	key := listKey{c.rev, s.rows.scopesKey(caller.Principal), c.wantsOutputSchemas()}
	if list, ok := s.rendered.Load(key); ok {
		return append(dst, list.([]byte)...), nil
	}
	list, err := s.renderTools(c)
	if err != nil {
		return dst, err
	}
	s.rendered.Store(key, list)
	return append(dst, list...), nil
}

// wantsOutputSchemas reports whether the list has the schemas of answers.
func (c *Call) wantsOutputSchemas() bool {
	switch c.handler.server.cfg.OutputSchemas {
	case host.OutputSchemasAlways:
		return true
	case host.OutputSchemasNever:
		return false
	case host.OutputSchemasWhenAsked:
	}
	return c.Client().OutputSchemas
}

// renderTools returns the members of the result of tools/list for a call: the tools
// that its caller may call and that its selection shows, in the order of the tables.
func (s *Server) renderTools(c *Call) ([]byte, error) {
	dst := []byte(`"tools":[`)
	first, outputs := true, c.wantsOutputSchemas()
	for _, t := range s.rows.listed {
		if !t.allowed(c.handler.caller.Principal) || !c.shows(t) || t.Extension && c.rev == baseline {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		f, err := t.forms()
		if err != nil {
			return nil, err
		}
		dst = c.rev.appendTool(dst, t, f, s.listedName(t, c.rev), outputs)
	}
	return append(dst, ']'), nil
}

// listedName returns the name by which a tool is listed: the documented one with a
// slash, or the portable one, by configuration or revision. Calls may use either.
func (s *Server) listedName(t *boundTool, rev revision) string {
	documented := rev.Has(host.DocumentedNames)
	switch s.cfg.ToolNames {
	case host.DocumentedToolNames:
		documented = true
	case host.PortableToolNames:
		documented = false
	case host.NamesByRevision:
	}
	if documented {
		return t.Name
	}
	return t.portable
}

// toolNamed finds the tool that a member of the message names, nil when there
// is none. A name without escapes is looked up where it stands.
func (r *rows) toolNamed(raw []byte) *boundTool {
	if params.IsString(raw) && bytes.IndexByte(raw, '\\') < 0 {
		return r.tools[string(raw[1:len(raw)-1])]
	}
	return r.tools[params.Unquoted(raw)]
}

// unknownTool returns the error -32602 for the name of no tool. To clients that negotiated a
// revision it says what the configuration knows of the name.
func (c *Call) unknownTool(cfg *Config) *jsonrpc.Error {
	name, err := params.NameMember("name", c.params.Name)
	if err != nil {
		return err
	}
	unknown := jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Unknown tool: %s", name)
	if c.rev == baseline || cfg.Elsewhere == nil {
		return unknown
	}
	if where := cfg.Elsewhere(name); where != "" {
		return unknown.WithDetails("%s", where)
	}
	return unknown
}

// serveToolsCall answers tools/call. What is wrong with the request itself (the name, the
// scope, the form of the arguments) is a protocol error; the rest is the family's to map.
func serveToolsCall(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	if c.tool = s.rows.toolNamed(c.params.Name); c.tool == nil {
		return dst, c.unknownTool(&s.cfg)
	}
	if !c.shows(c.tool) {
		return dst, toolOff(c.tool)
	}
	if !c.tool.allowed(c.handler.caller.Principal) {
		return dst, permissionDenied(c.tool.Scope)
	}
	args := c.params.Arguments
	if args != nil && !params.IsObject(args) {
		return dst, InvalidParams("arguments must be an object")
	}
	if c.tool.Task == TaskRequired && !c.hasTasks() {
		return dst, missingExtension(tasksExtension)
	}
	if c.tool.Task == TaskWhenSlow && c.hasTasks() {
		return s.runSlow(ctx, c, dst)
	}
	result, err := c.tool.Call.invoke(ctx, c, args)
	if err == nil && result.Job != nil {
		return s.runJob(ctx, c, result.Job, 0, dst)
	}
	return s.finishCall(ctx, c, &result, err, dst)
}

// finishCall appends the result of a tool or of its job, and gives the audit record its
// facts. It is called once for a call, and in a task once when its job ends.
func (s *Server) finishCall(ctx context.Context, c *Call, result *Result, err error, dst []byte) ([]byte, error) {
	if err != nil {
		if result, err = c.failed(ctx, err); err != nil {
			c.note(nil)
			return dst, c.tool.maskedError(err)
		}
	}
	c.note(result)
	if result, err = c.tool.masked(result); err != nil {
		return dst, err
	}
	return s.appendSized(ctx, c, result, dst)
}

// note records the facts of the call for the audit trail, if its tool has some; the
// result is nil if there is none.
func (c *Call) note(result *Result) {
	if c.tool.Details == nil || c.handler.server.cfg.Observe == nil {
		return
	}
	var answer any
	if result != nil && !result.IsError {
		answer = result.Structured
	}
	c.details = c.tool.Details(c.params.Arguments, answer)
}

// appendSized appends a result; of one that is too large to send, the place where it was
// stored.
func (s *Server) appendSized(ctx context.Context, c *Call, result *Result, dst []byte) ([]byte, error) {
	from := len(dst)
	dst, err := c.appendResult(dst, result)
	if size := len(dst) - from; err == nil && size > MaxAnswer {
		if result, err = s.oversize.setAside(ctx, c, result, size); err == nil {
			dst, err = c.appendResult(dst[:from:from], result) // without the memory of the large one
		}
	}
	c.failure = result != nil && result.IsError
	return dst, err
}

// failed turns a handler's error into a tool result or a protocol error, exactly one of
// the two. Errors of a cancelled call and of the request itself pass as they are, past
// the family's mapping.
func (c *Call) failed(ctx context.Context, err error) (*Result, error) {
	if ctxErr := ctx.Err(); ctxErr != nil && errors.Is(err, ctxErr) {
		return nil, err
	}
	if _, ok := errors.AsType[*requestError](err); ok {
		return nil, err
	}
	err = c.tool.table.wire(err)
	if tool, ok := errors.AsType[*toolError](err); ok {
		return errorResult(tool.Error()), nil
	}
	rpc, ok := errors.AsType[*jsonrpc.Error](err)
	if ok && c.rev.Has(host.ErrorsInResults) && c.tool.table.forModel(rpc.Code) {
		return modelError(rpc), nil
	}
	return nil, err
}

// forModel reports whether an error of a tool belongs to the model, which can correct
// itself, rather than to the host. Bad arguments always do (SEP-1303).
func (t *Table) forModel(code jsonrpc.Code) bool {
	return code == jsonrpc.CodeInvalidParams || slices.Contains(t.ModelErrors, code)
}

// modelError returns an error as a result with isError: message and details as text for
// the model, unless the message ends in the details, and code and data in _meta for
// programs.
func modelError(rpc *jsonrpc.Error) *Result {
	meta := map[string]any{"code": rpc.Code}
	if rpc.Data != nil {
		meta["data"] = json.RawMessage(rpc.Data)
	}
	result := errorResult(host.WithDetails(rpc))
	result.Meta = map[string]any{errMeta: meta}
	return result
}
