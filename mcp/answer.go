package mcp

import "context"

// A Result is the result of a tool call.
type Result struct {
	Content []Content
	// Structured is the answer as data; it is encoded as JSON. Nil when the
	// tool has none.
	Structured any
	IsError    bool
	// Meta are members of the result's _meta.
	Meta map[string]any
	// Job, when set, is the rest of the work, and all else here is ignored.
	// For clients that have tasks it runs as one, beside the call, which is
	// answered at once; for others it runs in the call. Only tools with a
	// [Tool.Task] may have one; handlers that return something else than a
	// *Result have [TaskWhenSlow] instead. The arguments it uses must be its own.
	Job func(ctx context.Context, job *Call) (*Result, error)

	text  string // the only item of the content, if it is
	plain bool   // but a text
}

// A Content is one item of a result or a prompt message: text, a picture, a sound,
// a resource or a link to one. The functions below make one. A revision that does
// not know its kind gets the nearest that it knows.
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

// Annotations say for whom an item is and how much it matters, 0 to 1.
type Annotations struct {
	Audience []string `json:"audience,omitempty"`
	Priority *float64 `json:"priority,omitempty"`
}

// Text is a text item.
func Text(s string) Content { return Content{kind: kindText, text: s} }

// Image is a picture; data are its bytes.
func Image(data []byte, mimeType string) Content {
	return Content{kind: kindImage, data: data, mime: mimeType}
}

// Audio is a sound. Revision 2024-11-05 gets it as an embedded resource.
func Audio(data []byte, mimeType string) Content {
	return Content{kind: kindAudio, data: data, mime: mimeType}
}

// Embedded is a resource with its contents. Baseline clients get bytes as the
// documented item of type "blob".
func Embedded(c Contents) Content { return Content{kind: kindResource, resource: &c} }

// Link points at a resource. Revisions before 2025-06-18 get its URI as text.
func Link(r Resource) Content { return Content{kind: kindLink, link: &r} }

// Annotated returns the item with annotations.
func (c Content) Annotated(a Annotations) Content {
	c.notes = &a
	return c
}

// textResult is a tool result of one text. It takes no memory beside its own.
func textResult(text string) Result { return Result{text: text, plain: true} }

// items returns the content. A single text is put into one, to save its memory.
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

// A job is the work of a tool; c is the call, or what stands for it in a task.
type job = func(ctx context.Context, c *Call) (*Result, error)
