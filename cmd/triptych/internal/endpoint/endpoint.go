package endpoint

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
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

// Post sends a message and calls each with every message that answers it, in order.
// It returns the header of the answer. The message must not be kept by each.
func (e *Endpoint) Post(ctx context.Context, message []byte, header http.Header, each func(message []byte) error) (http.Header, error) {
	resp, err := e.Do(ctx, http.MethodPost, message, header)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // read to its end
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode == http.StatusAccepted:
		return resp.Header, nil
	case kind == "text/event-stream":
		return resp.Header, eachEvent(resp.Body, each)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxMessage))
	if err != nil {
		return resp.Header, err
	}
	if resp.StatusCode != http.StatusOK {
		body = refusal(message, resp, body)
	}
	return resp.Header, each(body)
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
