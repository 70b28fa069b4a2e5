package conformance

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed testdata/schema/*.json
var schemaFiles embed.FS

// results is which definition the result of a method has. A revision whose
// schema lacks the definition has no such result.
var results = map[string]string{
	"initialize":               "InitializeResult",
	"ping":                     "EmptyResult",
	"server/discover":          "DiscoverResult",
	"tools/list":               "ListToolsResult",
	"tools/call":               "CallToolResult",
	"resources/list":           "ListResourcesResult",
	"resources/templates/list": "ListResourceTemplatesResult",
	"resources/read":           "ReadResourceResult",
	"resources/subscribe":      "EmptyResult",
	"resources/unsubscribe":    "EmptyResult",
	"subscriptions/listen":     "SubscriptionsListenResult",
	"prompts/list":             "ListPromptsResult",
	"prompts/get":              "GetPromptResult",
	"completion/complete":      "CompleteResult",
	"logging/setLevel":         "EmptyResult",
	// The skills extension has no published schema.
	"skills/list":              "PaginatedResult",
	"skills/get":               "Result",
	"resources/directory/read": "PaginatedResult",
}

// said is which definition a message has that the server sends of its own
// accord.
var said = map[string]string{
	"ping":                                     "PingRequest",
	"roots/list":                               "ListRootsRequest",
	"sampling/createMessage":                   "CreateMessageRequest",
	"elicitation/create":                       "ElicitRequest",
	"notifications/progress":                   "ProgressNotification",
	"notifications/message":                    "LoggingMessageNotification",
	"notifications/cancelled":                  "CancelledNotification",
	"notifications/tools/list_changed":         "ToolListChangedNotification",
	"notifications/prompts/list_changed":       "PromptListChangedNotification",
	"notifications/resources/list_changed":     "ResourceListChangedNotification",
	"notifications/resources/updated":          "ResourceUpdatedNotification",
	"notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
	"notifications/elicitation/complete":       "ElicitationCompleteNotification",
}

// failures is which definition the error of a code has, where it says more
// than the envelope.
var failures = map[int]string{
	-32020: "HeaderMismatchError",
	-32021: "MissingRequiredClientCapabilityError",
	-32022: "UnsupportedProtocolVersionError",
	-32042: "URLElicitationRequiredError",
}

// A published schema is the schema.json of one revision. It is for one
// goroutine.
type published struct {
	revision    string
	root        string // where the definitions stand
	definitions map[string]any
	compiler    *jsonschema.Compiler
	compiled    map[string]*jsonschema.Schema
}

// openSchema reads the schema of a revision.
func openSchema(revision string) (*published, error) {
	data, err := schemaFiles.ReadFile("testdata/schema/" + revision + ".json")
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	p := &published{revision: revision, compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	p.compiler.AssertFormat()
	for _, f := range formats {
		p.compiler.RegisterFormat(f)
	}
	object, _ := doc.(map[string]any)
	for _, p.root = range []string{"definitions", "$defs"} {
		if p.definitions, _ = object[p.root].(map[string]any); p.definitions != nil {
			return p, p.compiler.AddResource(p.location(), doc)
		}
	}
	return nil, errors.New("the schema has no definitions")
}

func (p *published) location() string { return "mcp:" + p.revision }

func (p *published) has(name string) bool { _, ok := p.definitions[name]; return ok }

// validate checks a value against a definition, which must be there.
func (p *published) validate(name string, raw json.RawMessage) error {
	if !p.has(name) {
		return fmt.Errorf("%s has no %s", p.revision, name)
	}
	schema, err := p.definition(name)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("%s of %s: %w", name, p.revision, err)
	}
	return nil
}

// validateAny checks against the first of the definitions that is there: the
// envelope changed its names once.
func (p *published) validateAny(names []string, raw json.RawMessage) error {
	for _, name := range names {
		if p.has(name) {
			return p.validate(name, raw)
		}
	}
	return fmt.Errorf("%s has none of %v", p.revision, names)
}

func (p *published) definition(name string) (*jsonschema.Schema, error) {
	if s := p.compiled[name]; s != nil {
		return s, nil
	}
	s, err := p.compiler.Compile(p.location() + "#/" + p.root + "/" + name)
	p.compiled[name] = s
	return s, err
}
