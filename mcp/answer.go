package mcp

import "context"

// A Result is the result of a tool call.
type Result struct {
	Content []Content
	// Structured is the structured answer, which is encoded as JSON; nil if
	// the tool has none. Integers beyond 2^53-1, which hosts in JavaScript
	// cannot read, become 2^53-1; give larger ones as strings.
	Structured any
	IsError    bool
	// Meta holds members of the result's _meta.
	Meta map[string]any
	// Job, if set, is the rest of the work, and all other fields are ignored.
	// For clients that support tasks it runs as a task, and the call is
	// answered at once; for others it runs within the call. Only tools with a
	// [Tool.Task] may return one; handlers that return another type than
	// *Result use [TaskWhenSlow] instead. A job must not use arguments that
	// the handler shares with others.
	Job func(ctx context.Context, job *Call) (*Result, error)

	text  string // the only item of the content, if plain
	plain bool   // the content is a single text
}

// A Content is an item of a result or of a prompt message: a text, an image,
// audio, a resource or a link to one. The functions below return one. Revisions
// that lack its kind get the closest kind that they have.
type Content struct {
	kind     kind
	text     string
	data     []byte
	mime     string
	resource *Contents
	link     *Resource
	notes    *Annotations
}

// A kind is the type member of a content item.
type kind uint8

const (
	kindText kind = iota
	kindImage
	kindAudio
	kindResource
	kindLink
)

// Annotations name the intended audience of an item and its priority, from 0 to 1
// (server/resources, annotations).
type Annotations struct {
	Audience []string `json:"audience,omitempty"`
	Priority *float64 `json:"priority,omitempty"`
}

// Text returns a text item.
func Text(s string) Content { return Content{kind: kindText, text: s} }

// Image returns an image item. data is the encoded image.
func Image(data []byte, mimeType string) Content {
	return Content{kind: kindImage, data: data, mime: mimeType}
}

// Audio returns an audio item. Revision 2024-11-05 gets it as an embedded
// resource.
func Audio(data []byte, mimeType string) Content {
	return Content{kind: kindAudio, data: data, mime: mimeType}
}

// Embedded returns a resource item with its contents. Baseline clients get bytes
// as the documented item of type "blob".
func Embedded(c Contents) Content { return Content{kind: kindResource, resource: &c} }

// Link returns a link to a resource. Revisions before 2025-06-18 get its URI as a
// text.
func Link(r Resource) Content { return Content{kind: kindLink, link: &r} }

// Annotated returns the item with annotations.
func (c Content) Annotated(a Annotations) Content {
	c.notes = &a
	return c
}

// textResult returns a tool result with a single text, with no allocation but its
// own.
func textResult(text string) Result { return Result{text: text, plain: true} }

// items returns the content, including a single text that is stored without an
// item.
func (r *Result) items(one *[1]Content) []Content {
	if !r.plain {
		return r.Content
	}
	one[0] = Text(r.text)
	return one[:]
}

// errorResult returns a tool result that reports a failure.
func errorResult(text string) *Result {
	return &Result{Content: []Content{Text(text)}, IsError: true}
}

// A job is the work of a tool. c is the call, or the call that represents it in a
// task.
type job = func(ctx context.Context, c *Call) (*Result, error)
