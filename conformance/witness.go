package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// A witness knows what was asked and checks what the server says against the
// published schema of one revision. The nil witness checks nothing.
type witness struct {
	schema  *published
	outputs outputs
	asked   map[string]message // by the id as it was written
}

func newWitness(p *published) *witness {
	return &witness{schema: p, outputs: outputs{}, asked: map[string]message{}}
}

// A message has the members that tell what kind it is.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code int `json:"code"`
	} `json:"error"`
}

// each decodes a line, which holds a message or a batch of them.
func each(line string) (raws []json.RawMessage) {
	if json.Unmarshal([]byte(line), &raws) != nil {
		raws = []json.RawMessage{json.RawMessage(line)}
	}
	return raws
}

// Sent implements [mcptest.Witness]: it remembers what the client asks, as far as it can be read.
func (w *witness) Sent(line string) {
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

// Heard implements [mcptest.Witness]: it checks what the server says.
func (w *witness) Heard(line string) error {
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

func (w *witness) check(raw json.RawMessage) error {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		return fmt.Errorf("the server said no message: %w", err)
	}
	switch {
	case m.Method != "":
		return w.checkMethod(raw, &m)
	case m.Error != nil:
		return w.checkError(raw, &m)
	}
	return w.checkResult(raw, &m)
}

// checkMethod checks requests and notifications of the server.
func (w *witness) checkMethod(raw json.RawMessage, m *message) error {
	envelope := "JSONRPCNotification"
	if m.ID != nil {
		envelope = "JSONRPCRequest"
	}
	if err := w.schema.validate(envelope, raw); err != nil {
		return err
	}
	name, ok := said[m.Method]
	if !ok {
		return fmt.Errorf("no revision has a server say %s", m.Method)
	}
	return w.schema.validate(name, raw)
}

func (w *witness) checkResult(raw json.RawMessage, m *message) error {
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

// answered takes the request that has the id: it is answered once.
func (w *witness) answered(id json.RawMessage) (message, error) {
	asked, ok := w.asked[string(id)]
	if !ok {
		return message{}, fmt.Errorf("nobody asked, or nobody any more, with the id %s", id)
	}
	delete(w.asked, string(id))
	return asked, nil
}

// checkOutput holds a tool to the output schema that it was listed with.
func (w *witness) checkOutput(asked *message, result json.RawMessage) error {
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

// isInputRequired tells the result that asks instead of answering (2026-07-28).
func isInputRequired(result json.RawMessage) bool {
	var r struct {
		ResultType string `json:"resultType"`
	}
	return json.Unmarshal(result, &r) == nil && r.ResultType == "input_required"
}

// checkError checks errors. Up to 2025-06-18 the schemas have no place for one
// whose id could not be read; ours has no id there, and is checked as if it had.
func (w *witness) checkError(raw json.RawMessage, m *message) error {
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
		return nil // a code that the revision says nothing more about
	}
	return w.schema.validate(name, raw)
}
