package mcp

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// An InputRequest asks the client for something while a request of its own is
// being handled: Method is elicitation/create, sampling/createMessage or
// roots/list, Params its params.
type InputRequest struct {
	Method string `json:"method"`
	Params any    `json:"params,omitempty"`
}

// Form asks the user to fill in a form; schema is a flat object schema.
func Form(message string, schema json.RawMessage) InputRequest {
	return InputRequest{"elicitation/create", map[string]any{"message": message, "requestedSchema": schema}}
}

// ErrCannotAsk reports a client that cannot be asked for what a tool needs: it has
// not declared the capability, or its revision or transport has no way to ask.
var ErrCannotAsk = errors.New("the client cannot be asked")

// inputRequired travels up as an error when a modern client has to be asked:
// the answer is a result that says so, and the client calls again.
type inputRequired struct {
	asks  map[string]InputRequest
	state string
}

// Error is for logs: the transport sends an inputRequired as a result.
func (e *inputRequired) Error() string { return "input from the client is required" }

// Ask asks the client, and returns its answers by the same keys, each the JSON of a
// result of the method that was asked for. Legacy
// clients are sent requests and the call waits. Modern clients get an
// input_required result: Ask then returns an error that the handler must
// return, and when the client calls again with its answers, Ask finds them.
// Keys are meaningful names and stay the same over the rounds.
func (c *Call) Ask(ctx context.Context, asks map[string]InputRequest) (map[string]json.RawMessage, error) {
	return c.ask(ctx, asks, nil)
}

// AskWithState is Ask with a state that comes back with the answers; [Call.AskState]
// returns it. It is signed, bound to the caller and the call, and short-lived;
// a client can read it, so it holds no secrets.
func (c *Call) AskWithState(ctx context.Context, asks map[string]InputRequest, state []byte) (map[string]json.RawMessage, error) {
	return c.ask(ctx, asks, state)
}

// ask asks the client several things at once and returns the answers by key. It takes
// the way that the revision has: the state of the call's task, a result that asks the
// client to call again (since 2026-07-28), or requests to the client that are sent now.
// The tool gets state back when it is called again.
func (c *Call) ask(ctx context.Context, asks map[string]InputRequest, state []byte) (map[string]json.RawMessage, error) {
	client := c.Client()
	for _, key := range slices.Sorted(maps.Keys(asks)) {
		if need := lacking(&client, asks[key].Method); need != "" {
			return nil, c.cannotAsk(need)
		}
	}
	switch {
	case c.task != nil:
		return c.task.ask(ctx, asks)
	case c.rev.Modern:
		return c.askAgain(asks, state)
	}
	return c.askNow(ctx, asks)
}

// lacking names the capability that a method needs and the client has not.
func lacking(k *host.ClientCapabilities, method string) string {
	switch {
	case method == "elicitation/create" && !k.Forms:
		return "elicitation"
	case method == "sampling/createMessage" && !k.Sampling:
		return "sampling"
	case method == "roots/list" && !k.Roots:
		return "roots"
	}
	return ""
}

// cannotAsk is the error for a client that did not declare a capability: a protocol
// error where the revision defines one, else an error of the tool, which the model may
// react to.
func (c *Call) cannotAsk(capability string) error {
	if c.rev.Modern {
		return missingCapability(capability)
	}
	return ToolError(fmt.Errorf("%w: it did not declare the capability %s", ErrCannotAsk, capability))
}

// askNow sends requests one after the other, in the order of their keys.
func (c *Call) askNow(ctx context.Context, asks map[string]InputRequest) (map[string]json.RawMessage, error) {
	if c.handler.caller.Send == nil || c.rev.Has(host.DocumentedShapes) {
		return nil, ToolError(ErrCannotAsk)
	}
	answers := make(map[string]json.RawMessage, len(asks))
	for _, key := range slices.Sorted(maps.Keys(asks)) {
		var raw []byte
		if asks[key].Params != nil {
			var err error
			if raw, err = marshal(asks[key].Params); err != nil {
				return nil, err
			}
		}
		answer, err := c.handler.caller.Send.Call(ctx, asks[key].Method, raw)
		if err != nil {
			return nil, ToolError(fmt.Errorf("the client did not answer %s: %w", asks[key].Method, err))
		}
		answers[key] = answer
	}
	return answers, nil
}

// askAgain looks for the answers in the request, and asks for those that are
// not there.
func (c *Call) askAgain(asks map[string]InputRequest, state []byte) (map[string]json.RawMessage, error) {
	answers, err := c.responses()
	if err != nil {
		return nil, err
	}
	open := map[string]InputRequest{}
	for key, ask := range asks {
		if _, ok := answers[key]; !ok {
			open[key] = ask
		}
	}
	if len(open) == 0 {
		return answers, nil
	}
	need := &inputRequired{asks: open}
	if state != nil {
		need.state = c.seal(state)
	}
	return nil, need
}

// maxResponses is the number of answers that one request may bring.
const maxResponses = 100

// responses are the answers that the request brings.
func (c *Call) responses() (map[string]json.RawMessage, error) {
	raw := c.params.Optional("inputResponses")
	if raw == nil {
		return nil, nil
	}
	if !params.IsObject(raw) {
		return nil, badRequest("inputResponses must be an object")
	}
	answers := map[string]json.RawMessage{}
	members := jsonrpc.Members(raw)
	for n := 0; members.Next(); n++ {
		if n == maxResponses {
			return nil, badRequest("inputResponses may have %d members at most", maxResponses)
		}
		if !params.IsObject(members.Value()) {
			return nil, badRequest("inputResponses[%q] must be an object", params.Quoted(string(members.Key())))
		}
		answers[string(members.Key())] = json.RawMessage(members.Value())
	}
	return answers, nil
}

// appendInputRequired writes the whole result that asks for input.
func (c *Call) appendInputRequired(dst []byte, ask *inputRequired) ([]byte, error) {
	dst = append(dst, '{')
	from := len(dst)
	dst = append(dst, `"resultType":"input_required"`...)
	if len(ask.asks) > 0 {
		raw, err := marshal(ask.asks)
		if err != nil {
			return dst, err
		}
		dst = append(append(dst, `,"inputRequests":`...), raw...)
	}
	dst = member(dst, "requestState", ask.state)
	return append(c.appendMeta(dst, from, c.extra), '}'), nil
}

// stateLife is the time that a client has to answer.
const stateLife = 15 * time.Minute

// seal signs a state: 8 bytes of expiry (Unix seconds), the state, and an
// HMAC-SHA256 over both, the principal, the method, the tool and its arguments.
func (c *Call) seal(state []byte) string {
	body := binary.BigEndian.AppendUint64(nil, uint64(time.Now().Add(stateLife).Unix()))
	body = append(body, state...)
	return base64.RawURLEncoding.EncodeToString(append(body, c.mac(body)...))
}

// mac signs a state together with all that it belongs to: the caller, the method, the
// tool or resource, and the arguments. A state that is sent back with other arguments,
// or by another caller, is refused. Lengths are hashed too, so that no two calls have
// the same input.
func (c *Call) mac(body []byte) []byte {
	h := hmac.New(sha256.New, c.handler.server.stateKey[:])
	for _, part := range []string{c.handler.caller.Principal.ID, c.method.name, params.Unquoted(c.params.Name), params.Unquoted(c.params.Other("uri"))} {
		_ = binary.Write(h, binary.BigEndian, uint64(len(part))) // a hash takes every byte
		_, _ = h.Write([]byte(part))                             // likewise
	}
	_, _ = h.Write(canonical(c.params.Arguments)) // likewise
	_, _ = h.Write(body)                          // likewise
	return h.Sum(nil)
}

// canonical is the hash of JSON that does not depend on how it is written.
func canonical(raw []byte) []byte {
	var value any
	if json.Unmarshal(raw, &value) == nil {
		if sorted, err := json.Marshal(value); err == nil {
			raw = sorted
		}
	}
	sum := sha256.Sum256(raw)
	return sum[:]
}

// AskState returns the state that an earlier round kept, nil when the request
// brings none, or -32602 when it is forged, foreign or too old.
func (c *Call) AskState() ([]byte, error) {
	state := c.params.Optional("requestState")
	if state == nil {
		return nil, nil
	}
	data, err := base64.RawURLEncoding.DecodeString(params.Unquoted(state))
	if err != nil || len(data) < 8+sha256.Size {
		return nil, badRequest("requestState is not one that this server gave to you")
	}
	body, sum := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if !hmac.Equal(sum, c.mac(body)) {
		return nil, badRequest("requestState is not one that this server gave to you")
	}
	if int64(binary.BigEndian.Uint64(body)) < time.Now().Unix() {
		return nil, badRequest("requestState has expired; call again without it")
	}
	return body[8:], nil
}

// badRequest is an "Invalid params" that stays one where a tool's own errors become
// results.
func badRequest(format string, args ...any) error {
	return &requestError{InvalidParams(format, args...)}
}
