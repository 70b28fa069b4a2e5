package httpclient

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// MaxMessage is the size limit of an answer.
const MaxMessage = 64 << 20

// An Endpoint is the MCP endpoint of a server.
type Endpoint struct {
	URL  string
	Key  string // sent as a bearer token; "" sends none
	HTTP *http.Client
}

// Client returns a client for endpoints. It does not follow redirects: the key would go to
// another server, or in the clear, and no call of MCP needs one.
func Client(transport http.RoundTripper) *http.Client {
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// A WrongAnswerError reports an answer that is not one of an MCP endpoint.
type WrongAnswerError struct{ URL, Reason string }

// Error names the URL and what is wrong.
func (e *WrongAnswerError) Error() string { return e.URL + " is no MCP endpoint: " + e.Reason }

// wrong returns a [*WrongAnswerError].
func (e *Endpoint) wrong(format string, args ...any) error {
	return &WrongAnswerError{e.URL, fmt.Sprintf(format, args...)}
}

// Post sends a message and calls each with every message that answers it, in order.
// It returns the header of the answer, and a [*WrongAnswerError] if the answer is no JSON-RPC
// or, to a request, has no message with its id. The message must not be kept by each.
func (e *Endpoint) Post(ctx context.Context, message []byte, header http.Header, each func(message []byte) error) (http.Header, error) {
	resp, err := e.Do(ctx, http.MethodPost, message, header)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // read to its end
	return resp.Header, e.read(resp, message, each)
}

// read reads the answer to a message.
func (e *Endpoint) read(resp *http.Response, message []byte, each func([]byte) error) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	check := answerCheck{endpoint: e, id: requestID(message), each: each}
	if resp.StatusCode == http.StatusOK && kind == "text/event-stream" {
		return cmp.Or(eachEvent(resp.Body, check.message), check.end())
	}
	if to := resp.Header.Get("Location"); resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return e.wrong("it answers %s and leads to %s, where the key is not sent", resp.Status, strings.Map(printable, to))
	}
	if resp.StatusCode == http.StatusAccepted || check.id == "" && resp.StatusCode < 300 {
		return check.end() // what is not a request has no answer
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxMessage))
	switch {
	case err != nil:
		return err
	case resp.StatusCode != http.StatusOK:
		return each(refusal(message, resp, body))
	case kind != "application/json":
		return e.wrong("it answers with %s, not with JSON", cmp.Or(kind, "no media type"))
	}
	return cmp.Or(check.message(body), check.end())
}

// An answerCheck passes the messages of an answer on that are JSON-RPC.
type answerCheck struct {
	endpoint *Endpoint
	id       string // of the request, as JSON; "" if the message was none
	each     func([]byte) error
	answered bool
}

// message checks a message and passes it on.
func (c *answerCheck) message(text []byte) error {
	var m struct {
		Version string          `json:"jsonrpc"`
		Method  string          `json:"method"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(text, &m); err != nil || m.Version != "2.0" || m.Method == "" && m.Result == nil && m.Error == nil {
		return c.endpoint.wrong("its answer is no message of JSON-RPC: %s", excerpt(text))
	}
	if m.Method == "" {
		if c.id == "" || string(m.ID) != c.id && (m.Error == nil || string(m.ID) != "null") {
			return c.endpoint.wrong("it answers a request that was not sent: %s", excerpt(text))
		}
		c.answered = true
		if string(m.ID) == "null" { // the server could not read the request
			var broken jsonrpc.Error
			_ = json.Unmarshal(m.Error, &broken) // without a text, the code says it
			return c.each(jsonrpc.AppendError(nil, jsonrpc.RawID([]byte(c.id)), true, &broken))
		}
	}
	return c.each(text)
}

// end returns an error if a request was not answered.
func (c *answerCheck) end() error {
	if c.id != "" && !c.answered {
		return c.endpoint.wrong("the server did not answer the request")
	}
	return nil
}

// requestID returns the id of a request as JSON, "" for other messages.
func requestID(message []byte) string {
	var m struct {
		Method string          `json:"method"`
		ID     json.RawMessage `json:"id"`
	}
	if json.Unmarshal(message, &m) != nil || m.Method == "" {
		return ""
	}
	return string(m.ID)
}

// excerpt returns the beginning of a text for an error.
func excerpt(text []byte) string {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return "it is empty"
	}
	return strings.Map(printable, strings.ToValidUTF8(string(text[:min(len(text), maxPlainText)]), ""))
}

// Do sends one HTTP request to the endpoint.
func (e *Endpoint) Do(ctx context.Context, method string, body []byte, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, e.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if e.Key != "" {
		req.Header.Set("Authorization", "Bearer "+e.Key)
	}
	return e.HTTP.Do(req)
}

// eachEvent calls each with the messages of an event stream.
func eachEvent(body io.Reader, each func([]byte) error) error {
	scanner := bufio.NewScanner(body)
	scanner.Buffer(nil, MaxMessage)
	for scanner.Scan() {
		if data, ok := bytes.CutPrefix(scanner.Bytes(), []byte("data: ")); ok && len(data) > 0 {
			if err := each(data); err != nil {
				return err
			}
		}
	}
	return scanner.Err()
}

// refusal returns an error answer to a request that the server refused by a status,
// without the id of the request.
func refusal(request []byte, resp *http.Response, body []byte) []byte {
	var asked struct {
		ID json.RawMessage `json:"id"`
	}
	var answered struct {
		Error *struct {
			Code    jsonrpc.Code    `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	_ = json.Unmarshal(request, &asked) // the caller made it
	err := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server answered " + resp.Status + plainText(resp, body)}
	if json.Unmarshal(body, &answered) == nil && answered.Error != nil {
		err = &jsonrpc.Error{Code: answered.Error.Code, Message: answered.Error.Message, Data: answered.Error.Data}
	}
	return jsonrpc.AppendError(nil, jsonrpc.RawID(asked.ID), true, err)
}

// maxPlainText limits the bytes that an error shows of a body that is not JSON.
const maxPlainText = 200

// plainText returns the first line of a refusal in plain text, after a colon.
func plainText(resp *http.Response, body []byte) string {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	text := strings.ToValidUTF8(string(bytes.TrimSpace(body[:min(len(body), maxPlainText)])), "")
	if err != nil || kind != "text/plain" || text == "" {
		return ""
	}
	return ": " + strings.Map(printable, text)
}

// printable replaces what could move the cursor of a terminal by a space.
func printable(r rune) rune {
	if !unicode.IsPrint(r) {
		return ' '
	}
	return r
}
