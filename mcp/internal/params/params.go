// Package params finds the members of requests that the protocol uses, without copies.
package params

import (
	"encoding/json"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// Params holds the members of a request's params that the protocol uses, as parts
// of the message: valid JSON, or nil if absent. The members that most requests
// have are found in one pass, the others by name on demand, so that a request
// needs little memory. Params shares the memory of the message and is valid as
// long as the message is.
type Params struct {
	Raw       []byte
	Name      []byte
	Arguments []byte
}

// Meta holds the members of params._meta that the protocol defines, as JSON.
type Meta struct {
	ProgressToken []byte
	Version       []byte // the claimed revision of a modern request
	Capabilities  []byte
	Client        []byte
	LogLevel      []byte
}

// Keys of _meta in modern requests (2026-07-28).
const (
	MetaPrefix       = "io.modelcontextprotocol/"
	MetaVersion      = MetaPrefix + "protocolVersion"
	MetaCapabilities = MetaPrefix + "clientCapabilities"
	MetaClient       = MetaPrefix + "clientInfo"
	MetaLogLevel     = MetaPrefix + "logLevel"
	MetaServer       = MetaPrefix + "serverInfo"
	MetaSubscription = MetaPrefix + "subscriptionId"
)

// A Parsed is a request with its params parsed.
type Parsed struct {
	Request *jsonrpc.Request
	Params  Params
	Meta    Meta
	Err     *jsonrpc.Error // of parsing
}

// Parse finds the members of raw, the params of a valid message. It returns an
// error unless raw is an object, as MCP requires.
func (p *Params) Parse(raw []byte) (m Meta, err *jsonrpc.Error) {
	if len(raw) == 0 {
		return m, nil
	}
	if raw[0] != '{' {
		return m, Invalid("params must be an object")
	}
	p.Raw = raw
	members := jsonrpc.Members(raw)
	for members.Next() {
		switch string(members.Key()) {
		case "name":
			p.Name = members.Value()
		case "arguments":
			if p.Arguments = members.Value(); IsNull(p.Arguments) {
				p.Arguments = nil
			}
		case "_meta":
			if IsNull(members.Value()) {
				continue
			}
			if err := m.Parse(members.Value()); err != nil {
				return m, err
			}
		}
	}
	return m, nil
}

// Meta parses _meta again. Few requests need it after they were admitted, and
// storing it would cost all of them its memory.
func (p *Params) Meta() Meta {
	m, _ := new(Params).Parse(p.Raw) // it was parsed before without an error
	return m
}

// Optional returns a member as Other does, or nil if it is null: clients that have
// nothing to say may write null.
func (p *Params) Optional(name string) []byte {
	if value := p.Other(name); !IsNull(value) {
		return value
	}
	return nil
}

// Other returns a member that few methods have, or nil if it is absent. Of
// duplicate members the last one counts, as in encoding/json.
func (p *Params) Other(name string) (value []byte) {
	if len(p.Raw) == 0 {
		return nil
	}
	members := jsonrpc.Members(p.Raw)
	for members.Next() {
		if string(members.Key()) == name {
			value = members.Value()
		}
	}
	return value
}

// Parse parses `_meta` and stores the members that the protocol defines, as sent.
// Members that are null count as absent.
func (m *Meta) Parse(raw []byte) *jsonrpc.Error {
	if raw[0] != '{' {
		return Invalid("_meta must be an object")
	}
	members := jsonrpc.Members(raw)
	for members.Next() {
		if IsNull(members.Value()) {
			continue
		}
		switch string(members.Key()) {
		case "progressToken":
			m.ProgressToken = members.Value()
		case MetaVersion:
			m.Version = members.Value()
		case MetaCapabilities:
			m.Capabilities = members.Value()
		case MetaClient:
			m.Client = members.Value()
		case MetaLogLevel:
			m.LogLevel = members.Value()
		}
	}
	return m.checkToken()
}

// checkToken returns an error unless a progress token is a string or a number.
func (m *Meta) checkToken() *jsonrpc.Error {
	if m.ProgressToken == nil || IsString(m.ProgressToken) || IsNumber(m.ProgressToken) {
		return nil
	}
	return Invalid("_meta.progressToken must be a string or an integer")
}

// Text decodes a member that must be a string. name is the member's name, for the
// error.
func Text(name string, raw []byte) (string, *jsonrpc.Error) {
	switch {
	case raw == nil:
		return "", Invalid("%s is required", name)
	case !IsString(raw):
		return "", Invalid("%s must be a string", name)
	}
	return jsonrpc.Unquote(raw), nil
}

// MaxName is the maximum length of the name of a tool, prompt or task, in bytes.
const MaxName = 255

// NameMember decodes a member that must be a name. It rejects names longer than
// MaxName, so that they reach neither logs nor tables.
func NameMember(name string, raw []byte) (string, *jsonrpc.Error) {
	if len(raw) > MaxName+2 && IsString(raw) && len(jsonrpc.Unquote(raw)) > MaxName {
		return "", Invalid("%s must have at most %d bytes", name, MaxName)
	}
	return Text(name, raw)
}

// Quoted truncates a client's text to a length that an error may repeat, without
// splitting characters.
func Quoted(text string) string {
	if len(text) <= MaxName {
		return text
	}
	return strings.ToValidUTF8(text[:MaxName], "") + "…"
}

// Decode unmarshals a member that is not performance-critical.
func Decode(name string, raw []byte, into any) *jsonrpc.Error {
	if raw == nil {
		return Invalid("%s is required", name)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return Invalid("%s has the wrong form", name)
	}
	return nil
}

// IsString, IsObject, IsNull and IsNumber report the type of a valid JSON value
// by its first byte.
func IsString(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }
func IsObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }
func IsNull(raw []byte) bool   { return len(raw) > 0 && raw[0] == 'n' }
func IsNumber(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// Unquoted returns the string of a member, or "" if it is not a string.
func Unquoted(raw []byte) string {
	if !IsString(raw) {
		return ""
	}
	return jsonrpc.Unquote(raw)
}

// ValueOf returns the value of a member, or nil if it is null or absent. Of
// duplicates the last one counts; the decoder of the arguments rejects them.
func ValueOf(object []byte, name string) (value []byte) {
	if !IsObject(object) {
		return nil
	}
	members := jsonrpc.Members(object)
	for members.Next() {
		if string(members.Key()) == name {
			value = members.Value()
		}
	}
	if IsNull(value) {
		return nil
	}
	return value
}

// Invalid returns the error -32602 with the reason in data.details.
func Invalid(format string, args ...any) *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Invalid params").WithDetails(format, args...)
}
