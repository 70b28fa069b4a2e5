package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// This file writes all JSON that clients get. It alone omits or translates fields
// that a revision lacks: handlers and methods make the newest and richest form, and
// each function here asks the revision what it has ([host.Revision.Has]). None of them
// compares names or dates of revisions.
//
// The functions append to a buffer and do not use encoding/json where they can, since
// an answer is written for each call and its parts are mostly text. Members whose value
// is empty are left out, unless the schema requires them.

// A revision writes messages in the form of a revision of the protocol.
type revision struct{ *host.Revision }

// baseline is the revision of clients that name none, if a table has a document.
var baseline = revision{host.BaselineRevision()}

// bareRevision returns the revision of clients that name none to a server of tables.
func bareRevision(tables []*Table) revision {
	if slices.ContainsFunc(tables, func(t *Table) bool { return t.Documented != nil }) {
		return baseline
	}
	return revision{host.UndocumentedRevision()}
}

// shapesFor returns a revision with the shapes that the server has for it.
func (s *Server) shapesFor(rev *host.Revision) revision {
	if rev == baseline.Revision {
		return s.bare
	}
	return revision{rev}
}

// appendTrailer closes the members of a result with those that modern revisions
// require in every result. from is the index of the first member.
func (c *Call) appendTrailer(dst []byte, from int, cache cacheHint) []byte {
	modern := c.rev.Has(host.ResultTypes)
	if modern {
		dst = appendResultType(dst, from, c.resultType())
	}
	if modern && cache.scope != "" {
		dst = append(dst, `,"ttlMs":`...)
		dst = strconv.AppendInt(dst, int64(cache.ttlMS), 10)
		dst = append(append(append(dst, `,"cacheScope":"`...), cache.scope...), '"')
	}
	return c.appendMeta(dst, from, c.extra)
}

// appendResultType appends the member `resultType` (since 2026-07-28) to a result
// whose members begin at from.
func appendResultType(dst []byte, from int, kind string) []byte {
	dst = append(appendComma(dst, from), `"resultType":"`...)
	return append(append(dst, kind...), '"')
}

// resultType returns "task" for a call that continues as a task, and "complete"
// otherwise.
func (c *Call) resultType() string {
	if c.became != nil {
		return "task"
	}
	return "complete"
}

// appendComma appends a comma unless nothing was appended since from.
func appendComma(dst []byte, from int) []byte {
	if len(dst) > from {
		return append(dst, ',')
	}
	return dst
}

// appendMeta appends the result's _meta if the revision has one. extra holds
// members of it.
func (c *Call) appendMeta(dst []byte, from int, extra []byte) []byte {
	modern := c.rev.Has(host.ResultTypes)
	if !modern && (len(extra) == 0 || !c.rev.Has(host.Titles)) {
		return dst
	}
	dst = append(appendComma(dst, from), `"_meta":{`...)
	inside := len(dst)
	dst = append(dst, extra...)
	if modern {
		dst = jsonrpc.AppendString(appendComma(dst, inside), params.MetaServer)
		dst = append(append(dst, ':'), c.handler.server.identity(c.rev)...)
	}
	return append(dst, '}')
}

// appendResult appends the members of a CallToolResult. Structured content is left out
// for revisions without it, and before 2026-07-28 unless it is an object; its text in
// `content` is there in any case, as the specification asks for (server/tools,
// "Structured Content"). Its integers are such as hosts can read ([clampIntegers]).
func (c *Call) appendResult(dst []byte, r *Result) ([]byte, error) {
	dst = append(dst, `"content":[`...)
	var room [1]Content
	items := r.items(&room)
	for i := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = c.rev.appendContent(dst, &items[i])
	}
	dst = append(dst, ']')
	if r.Structured != nil && c.rev.Has(host.Structured) {
		const key = `,"structuredContent":`
		out, err := appendJSON(append(dst, key...), r.Structured)
		if err != nil {
			return dst, err
		}
		value := len(dst) + len(key)
		if params.IsObject(out[value:]) || c.rev.Has(host.AnyStructured) {
			dst = out[:value+len(clampIntegers(out[value:]))]
		}
	}
	if r.IsError {
		dst = append(dst, `,"isError":true`...)
	}
	return dst, c.addMeta(r.Meta)
}

// appendTask appends the members of a task as in tasks/get. The answer that
// creates a task includes neither a result nor input requests.
func (c *Call) appendTask(dst []byte, v *taskView, full bool) ([]byte, error) {
	dst = jsonrpc.AppendString(append(dst, `"taskId":`...), v.id)
	dst = member(dst, "status", string(v.status))
	dst = member(dst, "statusMessage", v.message)
	dst = member(dst, "createdAt", v.created.UTC().Format(timeFormat))
	dst = member(dst, "lastUpdatedAt", v.updated.UTC().Format(timeFormat))
	dst = strconv.AppendInt(append(dst, `,"ttlMs":`...), v.ttl.Milliseconds(), 10)
	dst = strconv.AppendInt(append(dst, `,"pollIntervalMs":`...), v.poll.Milliseconds(), 10)
	if !full {
		return dst, nil
	}
	switch v.status {
	case taskInput:
		raw, err := marshal(v.asks)
		return append(append(dst, `,"inputRequests":`...), raw...), err
	case taskCompleted:
		dst = append(dst, `,"result":{`...)
		from := len(dst)
		dst = appendResultType(append(dst, v.result...), from, "complete")
		return append(c.appendMeta(dst, from, v.extra), '}'), nil
	case taskFailed:
		return append(append(dst, `,"error":`...), v.failure...), nil
	case taskWorking, taskCancelled:
	}
	return dst, nil
}

// timeFormat is ISO 8601 in UTC with milliseconds.
const timeFormat = "2006-01-02T15:04:05.000Z"

// addMeta adds members to the result's _meta, in the order of their keys.
func (c *Call) addMeta(members map[string]any) error {
	if len(members) == 0 {
		return nil
	}
	raw, err := marshal(members)
	if err != nil {
		return err
	}
	c.extra = raw[1 : len(raw)-1]
	return nil
}

// marshal is like json.Marshal, but does not escape characters for HTML.
func marshal(v any) ([]byte, error) { return appendJSON(nil, v) }

// appendJSON is like marshal, but appends to dst. On an error it returns nil.
func appendJSON(dst []byte, v any) ([]byte, error) {
	w := appender{dst}
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(w.dst, []byte{'\n'}), nil
}

// An appender is a writer that appends to a slice.
type appender struct{ dst []byte }

// Write implements [io.Writer].
func (w *appender) Write(p []byte) (int, error) {
	w.dst = append(w.dst, p...)
	return len(p), nil
}

// member appends ,"key":"value" unless the value is empty. The comma assumes that a
// member precedes it.
func member(dst []byte, key, value string) []byte {
	if value == "" {
		return dst
	}
	dst = append(append(append(dst, `,"`...), key...), `":`...)
	return jsonrpc.AppendString(dst, value)
}

// named begins an object with its name and, if the revision has titles, the
// title.
func (r revision) named(dst []byte, name, title string) []byte {
	dst = jsonrpc.AppendString(append(dst, `{"name":`...), name)
	if r.Has(host.Titles) {
		dst = member(dst, "title", title)
	}
	return dst
}

// appendTool appends a Tool in the form of the revision: titles, annotations,
// output schemas, icons and `_meta` were added after 2024-11-05. output selects
// whether the output schema is included.
func (r revision) appendTool(dst []byte, t *boundTool, f *forms, name string, output bool) []byte {
	dst = member(r.named(dst, name, t.Title), "description", t.Doc)
	dst = append(append(dst, `,"inputSchema":`...), r.inputSchema(f)...)
	if output && f.output != nil && r.Has(host.Structured) && (isObjectSchema(f.output) || r.Has(host.AnyStructured)) {
		dst = append(append(dst, `,"outputSchema":`...), f.output...)
	}
	if r.Has(host.ToolAnnotations) {
		dst = t.Hints.append(append(dst, `,"annotations":`...))
	}
	dst = r.appendIcons(dst, t.Icons)
	if r.Has(host.Titles) && len(t.Meta) > 0 {
		dst = append(append(dst, `,"_meta":`...), t.Meta...)
	}
	return append(dst, '}')
}

// inputSchema returns a tool's input schema in the form of the revision: the
// documented one for the baseline, and before 2026-07-28 one without boolean
// schemas, which older clients reject.
func (r revision) inputSchema(f *forms) []byte {
	switch {
	case r == baseline:
		return f.documented
	case r.Has(host.BooleanSchemas):
		return f.input
	}
	return f.plain
}

// isObjectSchema reports whether a schema describes an object, which
// `structuredContent` had to be before 2026-07-28.
func isObjectSchema(raw []byte) bool {
	var s struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(raw, &s) == nil && s.Type == "object"
}

// append writes the hints that differ from their defaults in the specification:
// true for destructiveHint and openWorldHint, false for the others.
// destructiveHint and idempotentHint are meaningless for tools that only read.
func (h Hints) append(dst []byte) []byte {
	dst = append(dst, '{')
	from := len(dst)
	set := func(name string, value bool) {
		if len(dst) > from {
			dst = append(dst, ',')
		}
		dst = append(append(dst, name...), ':')
		dst = strconv.AppendBool(dst, value)
	}
	switch {
	case h&ReadOnly != 0:
		set(`"readOnlyHint"`, true)
	case h&Destructive == 0:
		set(`"destructiveHint"`, false)
	}
	if h&Idempotent != 0 && h&ReadOnly == 0 {
		set(`"idempotentHint"`, true)
	}
	if h&OpenWorld == 0 {
		set(`"openWorldHint"`, false)
	}
	return append(dst, '}')
}

// appendIcons appends the member `icons`, unless the revision has none.
func (r revision) appendIcons(dst []byte, icons []Icon) []byte {
	if len(icons) == 0 || !r.Has(host.Icons) {
		return dst
	}
	raw, err := marshal(icons)
	if err != nil {
		panic(err) // strings always encode
	}
	return append(append(dst, `,"icons":`...), raw...)
}

// appendResource appends a resource. If notes is not nil, it replaces the
// annotations of the resource, as for a link. The documents show neither sizes
// nor annotations.
func (r revision) appendResource(dst []byte, res *Resource, notes *Annotations) []byte {
	dst = jsonrpc.AppendString(append(dst, `{"uri":`...), res.URI)
	dst = member(dst, "name", res.Name)
	if r.Has(host.Titles) {
		dst = member(dst, "title", res.Title)
	}
	dst = member(dst, "description", res.Description)
	dst = member(dst, "mimeType", res.MIMEType)
	if r.Has(host.DocumentedShapes) {
		return append(appendNotes(dst, notes, time.Time{}), '}')
	}
	if res.Size > 0 {
		dst = strconv.AppendInt(append(dst, `,"size":`...), res.Size, 10)
	}
	modified := time.Time{}
	if r.Has(host.Titles) {
		modified = res.LastModified
	}
	if notes == nil {
		notes = res.Annotations
	}
	return append(appendNotes(dst, notes, modified), '}')
}

// appendNotes appends annotations, if there are any.
func appendNotes(dst []byte, notes *Annotations, modified time.Time) []byte {
	if notes == nil && modified.IsZero() {
		return dst
	}
	dst = append(dst, `,"annotations":{`...)
	from := len(dst)
	if notes != nil {
		raw, err := marshal(notes)
		if err != nil {
			panic(err) // strings and a finite number always encode
		}
		dst = append(dst, raw[1:len(raw)-1]...)
	}
	if !modified.IsZero() {
		dst = append(appendComma(dst, from), `"lastModified":"`...)
		dst = append(modified.UTC().AppendFormat(dst, time.RFC3339), '"')
	}
	return append(dst, '}')
}

// appendTemplate appends a ResourceTemplate. Its uriTemplate is written as the table has
// it (RFC 6570); the server does not expand it.
func (r revision) appendTemplate(dst []byte, t *ResourceTemplate) []byte {
	dst = jsonrpc.AppendString(append(dst, `{"uriTemplate":`...), t.URITemplate)
	dst = member(dst, "name", t.Name)
	if r.Has(host.Titles) {
		dst = member(dst, "title", t.Title)
	}
	dst = member(dst, "description", t.Description)
	return append(member(dst, "mimeType", t.MIMEType), '}')
}

// appendContents appends a BlobResourceContents if there is a blob, and a
// TextResourceContents otherwise.
func appendContents(dst []byte, c *Contents) []byte {
	dst = jsonrpc.AppendString(append(dst, `{"uri":`...), c.URI)
	dst = member(dst, "mimeType", c.MIMEType)
	if c.Blob != nil {
		return append(appendBase64(append(dst, `,"blob":`...), c.Blob), '}')
	}
	return append(jsonrpc.AppendString(append(dst, `,"text":`...), c.Text), '}')
}

// appendBase64 appends data as a JSON string in base64 (RFC 4648, section 4).
func appendBase64(dst, data []byte) []byte {
	dst = append(dst, '"')
	return append(base64.StdEncoding.AppendEncode(dst, data), '"')
}

// appendContent appends a ContentBlock. Kinds that the revision lacks are
// replaced by texts, so that no content is lost.
func (r revision) appendContent(dst []byte, c *Content) []byte {
	switch c.kind {
	case kindText:
		dst = jsonrpc.AppendString(append(dst, `{"type":"text","text":`...), c.text)
	case kindImage:
		dst = appendMedia(dst, "image", c)
	case kindAudio:
		dst = r.appendAudio(dst, c)
	case kindResource:
		dst = r.appendEmbedded(dst, c)
	case kindLink:
		dst = r.appendLink(dst, c)
	}
	if c.kind == kindLink && r.Has(host.ResourceLinks) {
		return append(dst, '}') // with the annotations of the resource
	}
	return append(appendNotes(dst, c.notes, time.Time{}), '}')
}

// appendMedia appends an ImageContent or AudioContent, without its annotations
// and its end.
func appendMedia(dst []byte, kind string, c *Content) []byte {
	dst = append(append(append(dst, `{"type":"`...), kind...), `","data":`...)
	return member(appendBase64(dst, c.data), "mimeType", c.mime)
}

// appendAudio appends audio. In the revision without audio it is a resource.
func (r revision) appendAudio(dst []byte, c *Content) []byte {
	if r.Has(host.AudioContent) {
		return appendMedia(dst, "audio", c)
	}
	sound := Contents{URI: "audio:embedded", MIMEType: c.mime, Blob: c.data}
	return appendContents(append(dst, `{"type":"resource","resource":`...), &sound)
}

// appendEmbedded appends an embedded resource. The documents show bytes as a type
// of their own.
func (r revision) appendEmbedded(dst []byte, c *Content) []byte {
	if c.resource.Blob != nil && r.Has(host.DocumentedShapes) {
		dst = appendBase64(append(dst, `{"type":"blob","blob":`...), c.resource.Blob)
		return member(dst, "mimeType", c.resource.MIMEType)
	}
	return appendContents(append(dst, `{"type":"resource","resource":`...), c.resource)
}

// appendLink appends a ResourceLink without its end. Before 2025-06-18 it is a
// text with the URI.
func (r revision) appendLink(dst []byte, c *Content) []byte {
	if !r.Has(host.ResourceLinks) {
		return jsonrpc.AppendString(append(dst, `{"type":"text","text":`...), c.link.URI)
	}
	dst = append(dst, `{"type":"resource_link",`...)
	link := r.appendResource(nil, c.link, c.notes)
	return append(dst, link[1:len(link)-1]...)
}

// appendPrompt appends a Prompt with its arguments. `required` is written for each
// argument, also where it is false.
func (r revision) appendPrompt(dst []byte, p *Prompt) []byte {
	dst = member(r.named(dst, p.Name, p.Title), "description", p.Doc)
	if len(p.Args) > 0 {
		dst = append(dst, `,"arguments":[`...)
		for i, a := range p.Args {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = member(r.named(dst, a.Name, a.Title), "description", a.Doc)
			dst = strconv.AppendBool(append(dst, `,"required":`...), a.Required)
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
	}
	return append(r.appendIcons(dst, p.Icons), '}')
}

// appendPromptResult appends the members of a GetPromptResult.
func (r revision) appendPromptResult(dst []byte, p *PromptResult) []byte {
	if p.Description != "" {
		dst = jsonrpc.AppendString(append(dst, `"description":`...), p.Description)
		dst = append(dst, ',')
	}
	dst = append(dst, `"messages":[`...)
	for i := range p.Messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonrpc.AppendString(append(dst, `{"role":`...), p.Messages[i].Role)
		dst = r.appendContent(append(dst, `,"content":`...), &p.Messages[i].Content)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}
