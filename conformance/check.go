package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// A checker validates the server's messages against the published schema of one
// revision. It remembers requests to know the type of their results. The nil checker
// accepts everything.
type checker struct {
	schema  *published
	outputs outputs
	asked   map[string]message // pending requests by the bytes of their id
}

func newChecker(p *published) *checker {
	return &checker{schema: p, outputs: outputs{}, asked: map[string]message{}}
}

// A message holds the members that determine the kind of a message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code int `json:"code"`
	} `json:"error"`
}

// each splits a line into its messages; a line is a message or a batch.
func each(line string) (raws []json.RawMessage) {
	if json.Unmarshal([]byte(line), &raws) != nil {
		raws = []json.RawMessage{json.RawMessage(line)}
	}
	return raws
}

// Sent implements [mcptest.Checker]. It records requests that it can decode.
func (w *checker) Sent(line string) {
	if w == nil {
		return
	}
	for _, raw := range each(line) {
		var m message
		_ = json.Unmarshal(raw, &m) // members of a wrong type are left empty
		if m.ID != nil {
			w.asked[string(m.ID)] = m
		}
	}
}

// Received implements [mcptest.Checker].
func (w *checker) Received(line string) error {
	if w == nil {
		return nil
	}
	for _, raw := range each(line) {
		if err := w.check(raw); err != nil {
			return fmt.Errorf("%w\nin %s", err, raw)
		}
	}
	return nil
}

func (w *checker) check(raw json.RawMessage) error {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		return fmt.Errorf("the server sent an invalid message: %w", err)
	}
	switch {
	case m.Method != "":
		return w.checkMethod(raw, &m)
	case m.Error != nil:
		return w.checkError(raw, &m)
	}
	return w.checkResult(raw, &m)
}

// checkMethod validates requests and notifications of the server.
func (w *checker) checkMethod(raw json.RawMessage, m *message) error {
	envelope := "JSONRPCNotification"
	if m.ID != nil {
		envelope = "JSONRPCRequest"
	}
	if err := w.schema.validate(envelope, raw); err != nil {
		return err
	}
	name, ok := said[m.Method]
	if !ok {
		return fmt.Errorf("no revision lets a server send %s", m.Method)
	}
	return w.schema.validate(name, raw)
}

func (w *checker) checkResult(raw json.RawMessage, m *message) error {
	if err := w.schema.validateAny([]string{"JSONRPCResultResponse", "JSONRPCResponse"}, raw); err != nil {
		return err
	}
	asked, err := w.answered(m.ID)
	if err != nil {
		return err
	}
	name, ok := results[asked.Method]
	if !ok {
		return fmt.Errorf("no revision has a result of %s", asked.Method)
	}
	if isInputRequired(m.Result) {
		return w.schema.validate("InputRequiredResult", m.Result)
	}
	return errors.Join(w.schema.validate(name, m.Result), w.checkOutput(&asked, m.Result))
}

// answered removes and returns the pending request with the id.
func (w *checker) answered(id json.RawMessage) (message, error) {
	asked, ok := w.asked[string(id)]
	if !ok {
		return message{}, fmt.Errorf("no pending request has the id %s", id)
	}
	delete(w.asked, string(id))
	return asked, nil
}

// checkOutput validates structured content against the output schema that
// tools/list announced for the tool.
func (w *checker) checkOutput(asked *message, result json.RawMessage) error {
	switch asked.Method {
	case "tools/list":
		return w.outputs.list(result)
	case "tools/call":
		var params struct {
			Name string `json:"name"`
		}
		_ = json.Unmarshal(asked.Params, &params) // a call without a name has no result
		return w.outputs.check(params.Name, result)
	}
	return nil
}

// isInputRequired reports whether a result requests input instead of answering
// (2026-07-28).
func isInputRequired(result json.RawMessage) bool {
	var r struct {
		ResultType string `json:"resultType"`
	}
	return json.Unmarshal(result, &r) == nil && r.ResultType == "input_required"
}

// checkError validates errors. Up to 2025-06-18 the schemas require an id even if the
// request's id could not be read. The server omits it; checkError adds one.
func (w *checker) checkError(raw json.RawMessage, m *message) error {
	if m.ID == nil && w.schema.has("JSONRPCError") {
		raw = bytes.Replace(raw, []byte(`{`), []byte(`{"id":0,`), 1)
	}
	if err := w.schema.validateAny([]string{"JSONRPCErrorResponse", "JSONRPCError"}, raw); err != nil {
		return err
	}
	if m.ID != nil {
		if _, err := w.answered(m.ID); err != nil {
			return err
		}
	}
	name, ok := failures[m.Error.Code]
	if !ok || !w.schema.has(name) {
		return nil // the revision has no schema for this code
	}
	return w.schema.validate(name, raw)
}
