package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// A Table is all that a family serves: its tools, resources and prompts as rows,
// and functions for what concerns all of them. It must not be changed once a
// [Server] has it. [Check] finds mistakes in it.
type Table struct {
	// Family names the table among those of a server; "" is the server's name. Calls of
	// one session to it run in arrival order.
	Family string
	// Documented is set for a family with a document that fixes the answers to clients
	// which name no revision; nil for others.
	Documented *Documented
	// Instructions explain the family to a model.
	Instructions string

	// Changing are the lists that may change while they are served: clients
	// are promised to hear of it.
	Changing Capabilities

	Tools     []Tool
	Resources []ResourceSource
	Prompts   []Prompt
	// PromptSource serves further prompts, which may change while the server
	// runs; nil if there are none. A name that a row of Prompts has means the row.
	PromptSource *PromptSource

	// Errors turns the family's errors into one of the two protocol forms:
	// a [ToolError] or a [jsonrpc.Error]. Nil leaves them to the server,
	// which answers argument errors with -32602 and all else with -32603.
	Errors func(err error) error
	// Mask, if not nil, returns a text with what clients may not see masked. It is
	// applied to the texts of resources and of tools that leave the server, unless a
	// tool is [Tool.Unmasked]: of results, of the strings in structured content as
	// JSON writes them, and of errors.
	Mask func(text string) string
	// ModelErrors are the codes of errors that a model can do something about.
	// Revisions that have such errors get them as results of the tool; -32602
	// is always one of them.
	ModelErrors []jsonrpc.Code
	// EndSession is called when the state kept under a [Call.StateKey] can go.
	EndSession func(key string)
	// HasState reports whether state is kept in memory under a [Call.StateKey] that
	// later calls need; nil means never.
	HasState func(key string) bool
	// Watch reports changes, also those of other processes, until ctx is done.
	Watch func(ctx context.Context, changes Changes) error
	// Close releases what the family holds.
	Close func() error
}

// A Documented describes the document of a family from before revisions were negotiated.
// If a table has one, clients that name no revision are answered in the shapes of such
// documents, and are not shown what is marked as an Extension. Otherwise they are served
// as those of the oldest revision.
type Documented struct {
	// Identity is the serverInfo, which is sent when the family is alone.
	Identity Implementation
	// Capabilities are sent in the answer to initialize.
	Capabilities Capabilities
}

// Capabilities are parts of a server.
type Capabilities uint8

// The capabilities.
const (
	CapabilityTools Capabilities = 1 << iota
	CapabilityResources
	CapabilityPrompts
	CapabilityLogging
)

// A Tool is one row of a table. Lists, scope checks, records, documents and the
// public surface that golden files pin are all made from it.
type Tool struct {
	Name  string // as documented; '/' is allowed, see [Config.ToolNames]
	Title string
	Doc   string
	Scope Scope
	// OrScope permits calls, too, which do less than those with Scope; "" for none.
	OrScope Scope
	Hints   Hints
	// LookUp says why a call may be recorded as a look-up: it changes nothing and
	// shows neither credentials nor another caller's data. Without a reason a call
	// is a change, whose record is on disk before its answer is sent.
	LookUp string
	// Toolset is the group that the tool is selected by; "" means [CoreToolset].
	Toolset string
	// Interrupts says that a call need not wait for earlier calls of the
	// family.
	Interrupts bool
	// Extension marks a tool that is not in the document of its family ([Documented]).
	// It is not listed for clients that name no revision, but every client may call it.
	Extension bool
	// Suspends says that calls use [Call.Suspend].
	Suspends bool
	// Unmasked says that [Table.Mask] is not for this tool.
	Unmasked bool
	// Task selects whether calls may become tasks.
	Task TaskMode
	// Details are facts for the record of a call, such as the id of a process,
	// from its arguments and its structured answer, nil if it failed. Records
	// are kept for long: nothing that may be secret, nothing that is not
	// checked. Nil means there are none.
	Details func(args json.RawMessage, answer any) map[string]string

	Icons []Icon
	Meta  json.RawMessage // extra members of _meta as a JSON object
	Call  Binding
}

// allowed reports whether a principal may call the tool.
func (t *Tool) allowed(p host.Principal) bool {
	return p.Allows(t.Scope) || t.OrScope != "" && p.Allows(t.OrScope)
}

// A Scope is a right, such as "rulesets:write"; see [host.Scope].
type Scope = host.Scope

// Hints describe what a tool does to the world (tool annotations, from
// 2025-03-26 on).
type Hints uint8

// The hints. Without ReadOnly a tool may change things; without Destructive it
// only adds to them; without OpenWorld it works on our own data alone.
const (
	ReadOnly Hints = 1 << iota
	Destructive
	Idempotent
	OpenWorld
)

// An Icon is a picture for hosts that show one (from 2025-11-25 on).
type Icon struct {
	Src      string   `json:"src"`
	MIMEType string   `json:"mimeType,omitempty"`
	Sizes    []string `json:"sizes,omitempty"`
	Theme    string   `json:"theme,omitempty"`
}

// An Implementation names a program.
type Implementation struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	WebsiteURL  string `json:"websiteUrl,omitempty"`
}

// A ResourceSource serves the resources of one URI scheme. Its functions may be
// called from any goroutine, several at a time; all but Read may be nil.
type ResourceSource struct {
	Scheme string
	// Authority narrows the source to the URIs with that authority: the part
	// between :// and the next slash. It goes before a source of the whole scheme.
	Authority string
	// Extension marks a source beyond the documents; see [Tool.Extension].
	Extension bool
	Scope     Scope
	LookUp    string // for reading; see [Tool.LookUp]
	// List returns up to limit resources from the position after ("" is the
	// beginning) and the position to go on from ("" at the end).
	List func(ctx context.Context, call *Call, after string, limit int) (items []Resource, next string, err error)
	// Read returns the contents of one resource or a [*ResourceNotFoundError].
	Read      func(ctx context.Context, call *Call, uri string) ([]Contents, error)
	Templates []ResourceTemplate
	// Complete suggests values for an argument of the template ref, best
	// first; total is the number of all that match.
	Complete func(ctx context.Context, call *Call, ref, argument, value string, known map[string]string) (values []string, total int, err error)
	// Directory returns up to limit direct children of a folder from the position
	// after, as List does: files, and folders with the type [DirectoryMIMEType].
	// A URI that is no folder is a [*ResourceNotFoundError].
	Directory func(ctx context.Context, call *Call, uri, after string, limit int) (items []Resource, next string, err error)
	// Skills serves those of the resources that are Agent Skills; nil if none are.
	Skills *SkillSource
}

// A Resource is an entry of resources/list.
type Resource struct {
	URI          string
	Name         string
	Title        string
	Description  string
	MIMEType     string
	Size         int64 // bytes, 0 when not known
	LastModified time.Time
	Annotations  *Annotations
}

// A ResourceTemplate is a family of URIs (RFC 6570).
type ResourceTemplate struct {
	URITemplate string
	Name        string
	Title       string
	Description string
	MIMEType    string
	// Extension marks a template beyond the documents; see [Tool.Extension].
	Extension bool
}

// Contents are the contents of a resource: a text, or bytes when Blob is
// not nil.
type Contents struct {
	URI      string
	MIMEType string
	Text     string
	Blob     []byte
}

// A Prompt is a text with gaps that a user picks.
type Prompt struct {
	Name  string
	Title string
	Doc   string
	Scope Scope
	Args  []PromptArgument
	// Extension marks a prompt beyond the documents; see [Tool.Extension].
	Extension bool
	Icons     []Icon
	Get       func(ctx context.Context, call *Call, args map[string]string) (*PromptResult, error)
	// Complete suggests values for one argument.
	Complete func(ctx context.Context, call *Call, argument, value string, known map[string]string) (values []string, total int, err error)
}

// A PromptSource serves the prompts that users make. Its functions may be called
// from any goroutine, several at a time.
type PromptSource struct {
	// Scope replaces that of the prompts, and Extension theirs.
	Scope     Scope
	Extension bool
	// List returns up to limit prompts, as [ResourceSource].List does. It may
	// return fewer, or none, and a position to go on from.
	List func(ctx context.Context, call *Call, after string, limit int) (items []Prompt, next string, err error)
	// Find returns the prompt of a name, nil if there is none.
	Find func(ctx context.Context, call *Call, name string) (*Prompt, error)
}

// A PromptArgument is a gap of a prompt.
type PromptArgument struct {
	Name     string
	Title    string
	Doc      string
	Required bool
}

// A PromptResult is a prompt with its gaps filled.
type PromptResult struct {
	Description string
	Messages    []PromptMessage
}

// A PromptMessage is one message of a prompt; Role is "user" or "assistant".
type PromptMessage struct {
	Role    string
	Content Content
}

// Changes receives notice of changes from a table's Watch. The server gathers them
// for 50 ms and then notifies the clients that may see what changed. Its methods
// may be called from any goroutine and do not block.
type Changes interface {
	ToolsChanged()
	PromptsChanged()
	ResourcesChanged()
	ResourceUpdated(uri string)
}

// prefix returns the part of the source's URIs before the slash that ends it.
func (r *ResourceSource) prefix() string {
	if r.Authority == "" {
		return r.Scheme
	}
	return r.Scheme + "://" + r.Authority
}

// check finds what is wrong with the tables before they serve anybody.
func check(tables []*Table) error {
	var errs []error
	seen := map[string]string{} // spelling, scheme or prompt → who has it
	claim := func(kind, name, family string) {
		key := kind + " " + name
		if other, taken := seen[key]; taken {
			errs = append(errs, fmt.Errorf("%s of %s is also in %s", key, family, other))
		}
		seen[key] = family
	}
	if len(tables) > maxTables {
		errs = append(errs, fmt.Errorf("%d tables, at most %d can be served", len(tables), maxTables))
	}
	for _, t := range tables {
		claim("family", t.Family, t.Family)
		for i := range t.Tools {
			tool := &t.Tools[i]
			claim("tool", host.PortableName(tool.Name), t.Family)
			if tool.Call.err != nil {
				errs = append(errs, fmt.Errorf("tool %s: %w", tool.Name, tool.Call.err))
			} else if tool.Call.invoke == nil {
				errs = append(errs, fmt.Errorf("tool %s has no handler", tool.Name))
			}
			if tool.LookUp != "" && tool.Hints&ReadOnly == 0 {
				errs = append(errs, fmt.Errorf("tool %s is recorded as a look-up and may change things", tool.Name))
			}
		}
		for i := range t.Resources {
			claim("scheme", t.Resources[i].prefix(), t.Family)
		}
		for i := range t.Prompts {
			claim("prompt", t.Prompts[i].Name, t.Family)
		}
	}
	return errors.Join(errs...)
}

// wire turns an error of the family into a protocol form.
func (t *Table) wire(err error) error {
	if t.Errors == nil {
		return plainErrors(err)
	}
	if isProtocol(err) {
		return err
	}
	return t.Errors(err)
}

// isProtocol reports whether err already has a protocol form.
func isProtocol(err error) bool {
	var rpc *jsonrpc.Error
	var tool *toolError
	var input *inputRequired
	var missing *ResourceNotFoundError
	return errors.As(err, &rpc) || errors.As(err, &tool) || errors.As(err, &input) || errors.As(err, &missing)
}

// Scopes returns the scopes that the rows of the table name, in order of name.
func (t *Table) Scopes() []Scope {
	named := map[Scope]bool{}
	for i := range t.Tools {
		named[t.Tools[i].Scope], named[t.Tools[i].OrScope] = true, true
	}
	for i := range t.Resources {
		named[t.Resources[i].Scope] = true
	}
	for i := range t.Prompts {
		named[t.Prompts[i].Scope] = true
	}
	if t.PromptSource != nil {
		named[t.PromptSource.Scope] = true
	}
	delete(named, "")
	return slices.Sorted(maps.Keys(named))
}
