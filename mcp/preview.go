package mcp

import (
	"encoding/json"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// A Preview is what a transport may see of a request before it is served: the
// claim of a modern revision, and what the HTTP headers of such a revision
// repeat.
type Preview struct {
	// Claimed says that the request states a revision in _meta.
	Claimed bool
	// Claim is the revision as stated, "" when it is no string.
	Claim string
	// Revision is the row of the claim, nil when it is none of ours.
	Revision *Revision
	// Err is what is wrong with the claim or with the rest of _meta.
	Err *jsonrpc.Error
	// Name is the tool, prompt, resource or task; Named says that the method
	// has one, though it may be missing.
	Name  string
	Named bool
	// Mirrored are the arguments that have a header of their own.
	Mirrored []Mirrored
	// Silent says that serving the request sends nothing to the client before
	// the answer, unless its session wants messages or can be asked; see
	// [Session.Silent].
	Silent bool
}

// A Mirrored is an argument of a tool that a header repeats, by the
// x-mcp-header of its schema (2026-07-28, Streamable HTTP).
type Mirrored struct {
	// Header is the part after Mcp-Param-.
	Header string
	// Value is the argument as JSON, nil when it is null or absent.
	Value []byte
}

// Preview looks at a request. What it returns shares memory with it.
func (s *Server) Preview(req *jsonrpc.Request) Preview {
	var p params
	meta, err := p.parse(req.Params)
	if err != nil {
		return Preview{Err: err}
	}
	silent := s.isSilent(req.Method, p.name, &meta)
	if meta.version == nil {
		return Preview{Silent: silent}
	}
	view := Preview{Claimed: true, Claim: unquoted(meta.version), Silent: silent}
	view.Revision, view.Err = meta.check()
	switch req.Method {
	case "tools/call":
		view.Name, view.Named = unquoted(p.name), true
		if tool := s.toolNamed(p.name); tool != nil {
			view.Mirrored = tool.mirrored(p.arguments)
		}
	case "prompts/get":
		view.Name, view.Named = unquoted(p.name), true
	case "resources/read":
		view.Name, view.Named = unquoted(p.other("uri")), true
	case "tasks/get", "tasks/update", "tasks/cancel":
		view.Name, view.Named = unquoted(p.other("taskId")), true
	}
	return view
}

// Denies says whether a request will be refused because the principal lacks a
// right. It knows of tools, prompts and resources.
func (s *Server) Denies(who Principal, req *jsonrpc.Request) bool {
	var p params
	if who.Scopes == nil {
		return false
	}
	if _, err := p.parse(req.Params); err != nil {
		return false
	}
	switch req.Method {
	case "tools/call":
		tool := s.toolNamed(p.name)
		return tool != nil && !who.Allows(tool.Scope)
	case "prompts/get":
		prompt := s.byName[unquoted(p.name)]
		return prompt != nil && !who.Allows(prompt.Scope)
	case "resources/read":
		src := s.source(unquoted(p.other("uri")))
		return src != nil && !who.Allows(src.Scope)
	}
	return false
}

// A headerPath is a property with x-mcp-header and how to get there.
type headerPath struct {
	path   []string
	header string
}

// headerPaths finds the properties that have a header, through chains of
// properties.
func headerPaths(schema []byte) []headerPath {
	var found []headerPath
	var walk func(raw []byte, path []string)
	walk = func(raw []byte, path []string) {
		var node struct {
			Header     string                     `json:"x-mcp-header"`
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if json.Unmarshal(raw, &node) != nil {
			return // a boolean, or a property of another form that has that name
		}
		if node.Header != "" && len(path) > 0 {
			found = append(found, headerPath{path: append([]string(nil), path...), header: node.Header})
		}
		for name, property := range node.Properties {
			walk(property, append(path, name))
		}
	}
	walk(schema, nil)
	return found
}

// mirrored are the arguments of a call that HTTP headers repeat. A tool without
// forms has none, and says why when it is called.
func (t *Tool) mirrored(arguments []byte) []Mirrored {
	f, err := t.forms()
	if err != nil {
		return nil
	}
	var all []Mirrored
	for _, p := range f.headers {
		value := arguments
		for _, name := range p.path {
			value = valueOf(value, name)
		}
		all = append(all, Mirrored{Header: p.header, Value: value})
	}
	return all
}

// valueOf is the value of a member, nil when it is null, absent or twice there
// with the last one winning, as the decoder of the arguments refuses that.
func valueOf(object []byte, name string) (value []byte) {
	if !isObject(object) {
		return nil
	}
	members := jsonrpc.Members(object)
	for members.Next() {
		if string(members.Key()) == name {
			value = members.Value()
		}
	}
	if isNull(value) {
		return nil
	}
	return value
}

// isSilent is what [Preview.Silent] says.
func (s *Server) isSilent(method string, name []byte, m *meta) bool {
	switch method {
	case "subscriptions/listen":
		return false
	case "tools/call":
		if tool := s.toolNamed(name); tool != nil && tool.Suspends {
			return false
		}
	}
	return m.progressToken == nil && m.logLevel == nil
}
