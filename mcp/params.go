package mcp

import (
	"encoding/json"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// params holds the members of a request's params that the protocol uses, as parts
// of the message: valid JSON, or nil if absent. The members that most requests
// have are found in one pass, the others by name on demand, so that a request
// needs little memory. params shares the memory of the message and is valid as
// long as the message is.
type params struct {
	raw       []byte
	name      []byte
	arguments []byte
}

// meta holds the members of params._meta that the protocol defines, as JSON.
type meta struct {
	progressToken []byte
	version       []byte // the claimed revision of a modern request
	capabilities  []byte
	client        []byte
	logLevel      []byte
}

// Keys of _meta in modern requests (2026-07-28).
const (
	metaPrefix       = "io.modelcontextprotocol/"
	metaVersion      = metaPrefix + "protocolVersion"
	metaCapabilities = metaPrefix + "clientCapabilities"
	metaClient       = metaPrefix + "clientInfo"
	metaLogLevel     = metaPrefix + "logLevel"
	metaServer       = metaPrefix + "serverInfo"
	metaSubscription = metaPrefix + "subscriptionId"
)

// parse finds the members of raw, the params of a valid message. It returns an
// error unless raw is an object, as MCP requires.
func (p *params) parse(raw []byte) (m meta, err *jsonrpc.Error) {
	if len(raw) == 0 {
		return m, nil
	}
	if raw[0] != '{' {
		return m, InvalidParams("params must be an object")
	}
	p.raw = raw
	members := jsonrpc.Members(raw)
	for members.Next() {
		switch string(members.Key()) {
		case "name":
			p.name = members.Value()
		case "arguments":
			if p.arguments = members.Value(); isNull(p.arguments) {
				p.arguments = nil
			}
		case "_meta":
			if isNull(members.Value()) {
				continue
			}
			if err := m.parse(members.Value()); err != nil {
				return m, err
			}
		}
	}
	return m, nil
}

// meta parses _meta again. Few requests need it after they were admitted, and
// storing it would cost all of them its memory.
func (p *params) meta() meta {
	m, _ := new(params).parse(p.raw) // it was parsed before without an error
	return m
}

// optional returns a member as other does, or nil if it is null: clients that have
// nothing to say may write null.
func (p *params) optional(name string) []byte {
	if value := p.other(name); !isNull(value) {
		return value
	}
	return nil
}

// other returns a member that few methods have, or nil if it is absent. Of
// duplicate members the last one counts, as in encoding/json.
func (p *params) other(name string) (value []byte) {
	if len(p.raw) == 0 {
		return nil
	}
	members := jsonrpc.Members(p.raw)
	for members.Next() {
		if string(members.Key()) == name {
			value = members.Value()
		}
	}
	return value
}

// parse parses `_meta` and stores the members that the protocol defines, as sent.
// Members that are null count as absent.
func (m *meta) parse(raw []byte) *jsonrpc.Error {
	if raw[0] != '{' {
		return InvalidParams("_meta must be an object")
	}
	members := jsonrpc.Members(raw)
	for members.Next() {
		if isNull(members.Value()) {
			continue
		}
		switch string(members.Key()) {
		case "progressToken":
			m.progressToken = members.Value()
		case metaVersion:
			m.version = members.Value()
		case metaCapabilities:
			m.capabilities = members.Value()
		case metaClient:
			m.client = members.Value()
		case metaLogLevel:
			m.logLevel = members.Value()
		}
	}
	return m.checkToken()
}

// checkToken returns an error unless a progress token is a string or a number.
func (m *meta) checkToken() *jsonrpc.Error {
	if m.progressToken == nil || isString(m.progressToken) || isNumber(m.progressToken) {
		return nil
	}
	return InvalidParams("_meta.progressToken must be a string or an integer")
}

// text decodes a member that must be a string. name is the member's name, for the
// error.
func text(name string, raw []byte) (string, *jsonrpc.Error) {
	switch {
	case raw == nil:
		return "", InvalidParams("%s is required", name)
	case !isString(raw):
		return "", InvalidParams("%s must be a string", name)
	}
	return jsonrpc.Unquote(raw), nil
}

// maxName is the maximum length of the name of a tool, prompt or task, in bytes.
const maxName = 255

// nameMember decodes a member that must be a name. It rejects names longer than
// maxName, so that they reach neither logs nor tables.
func nameMember(name string, raw []byte) (string, *jsonrpc.Error) {
	if len(raw) > maxName+2 && isString(raw) && len(jsonrpc.Unquote(raw)) > maxName {
		return "", InvalidParams("%s must have at most %d bytes", name, maxName)
	}
	return text(name, raw)
}

// quoted truncates a client's text to a length that an error may repeat, without
// splitting characters.
func quoted(text string) string {
	if len(text) <= maxName {
		return text
	}
	return strings.ToValidUTF8(text[:maxName], "") + "…"
}

// decode unmarshals a member that is not performance-critical.
func decode(name string, raw []byte, into any) *jsonrpc.Error {
	if raw == nil {
		return InvalidParams("%s is required", name)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return InvalidParams("%s has the wrong form", name)
	}
	return nil
}

// isString, isObject, isNull and isNumber report the type of a valid JSON value
// by its first byte.
func isString(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }
func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }
func isNull(raw []byte) bool   { return len(raw) > 0 && raw[0] == 'n' }
func isNumber(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// unquoted returns the string of a member, or "" if it is not a string.
func unquoted(raw []byte) string {
	if !isString(raw) {
		return ""
	}
	return jsonrpc.Unquote(raw)
}
