package mcp

import (
	"encoding/json"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// params are the members of a request's params that the protocol looks at, as
// spans of the message: valid JSON, nil when absent. They are found in one
// walk and decoded only by the method that wants them.
type params struct {
	raw            []byte
	name           []byte
	arguments      []byte
	uri            []byte
	cursor         []byte
	level          []byte
	ref            []byte
	argument       []byte
	context        []byte
	notifications  []byte
	requestID      []byte
	taskID         []byte
	inputResponses []byte
	requestState   []byte
	version        []byte
	capabilities   []byte
	client         []byte
	meta           meta
}

// meta are the members of params._meta.
type meta struct {
	present       bool
	progressToken []byte
	version       []byte // the claim of a modern request
	capabilities  []byte
	client        []byte
	logLevel      []byte
}

// The keys of _meta in modern requests.
const (
	metaPrefix       = "io.modelcontextprotocol/"
	metaVersion      = metaPrefix + "protocolVersion"
	metaCapabilities = metaPrefix + "clientCapabilities"
	metaClient       = metaPrefix + "clientInfo"
	metaLogLevel     = metaPrefix + "logLevel"
	metaServer       = metaPrefix + "serverInfo"
	metaSubscription = metaPrefix + "subscriptionId"
)

// parse finds the members of raw, the params of a valid message. MCP wants an
// object there; an array is the caller's mistake.
func (p *params) parse(raw []byte) *jsonrpc.Error {
	p.raw = raw
	if len(raw) == 0 {
		return nil
	}
	if raw[0] != '{' {
		return InvalidParams("params must be an object")
	}
	members := jsonrpc.Members(raw)
	for members.Next() {
		if span := p.member(members.Key()); span != nil {
			*span = members.Value()
		} else if string(members.Key()) == "_meta" {
			if err := p.meta.parse(members.Value()); err != nil {
				return err
			}
		}
	}
	return nil
}

// member is where the value of a key goes, nil for keys nobody looks at.
func (p *params) member(key []byte) *[]byte {
	switch string(key) {
	case "name":
		return &p.name
	case "arguments":
		return &p.arguments
	case "uri":
		return &p.uri
	case "cursor":
		return &p.cursor
	case "level":
		return &p.level
	case "ref":
		return &p.ref
	case "argument":
		return &p.argument
	case "context":
		return &p.context
	case "notifications":
		return &p.notifications
	case "requestId":
		return &p.requestID
	case "taskId":
		return &p.taskID
	case "inputResponses":
		return &p.inputResponses
	case "requestState":
		return &p.requestState
	case "protocolVersion":
		return &p.version
	case "capabilities":
		return &p.capabilities
	case "clientInfo":
		return &p.client
	}
	return nil
}

func (m *meta) parse(raw []byte) *jsonrpc.Error {
	if isNull(raw) {
		return nil
	}
	if raw[0] != '{' {
		return InvalidParams("_meta must be an object")
	}
	m.present = true
	members := jsonrpc.Members(raw)
	for members.Next() {
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

// checkToken refuses a progress token that is neither a string nor a number.
func (m *meta) checkToken() *jsonrpc.Error {
	if m.progressToken == nil || isString(m.progressToken) || isNumber(m.progressToken) {
		return nil
	}
	if isNull(m.progressToken) {
		m.progressToken = nil
		return nil
	}
	return InvalidParams("_meta.progressToken must be a string or an integer")
}

// text decodes a member that must be a string.
func text(name string, raw []byte) (string, *jsonrpc.Error) {
	switch {
	case raw == nil:
		return "", InvalidParams("%s is required", name)
	case !isString(raw):
		return "", InvalidParams("%s must be a string", name)
	}
	return jsonrpc.Unquote(raw), nil
}

// decode unmarshals a member that is not on the hot path.
func decode(name string, raw []byte, into any) *jsonrpc.Error {
	if raw == nil {
		return InvalidParams("%s is required", name)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return InvalidParams("%s has the wrong form", name)
	}
	return nil
}

func isString(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }
func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }
func isNull(raw []byte) bool   { return len(raw) > 0 && raw[0] == 'n' }
func isNumber(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}
