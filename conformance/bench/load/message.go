//go:build linux

package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Ids have eight digits, so that all requests made of a message have the same
// length, and so have all answers to them.
const (
	firstID = 10_000_000
	lastID  = 99_999_999
	idWidth = 8
)

// A Message is a request that is made again and again with another id.
type Message struct {
	line         []byte // one line of JSON, without its end
	id           int    // where the digits of the id begin
	method, tool string
	want         string // the text that the answer must have, "" for any
	length       int    // of the answer, once there was one
}

// Ping is the smallest request.
func Ping() Message { return newMessage("ping", "", `{}`) }

// List asks for the tools.
func List() Message { return newMessage("tools/list", "", `{}`) }

// Call calls a tool with arguments in JSON.
func Call(tool, arguments string) Message {
	return newMessage("tools/call", tool, `{"name":`+quote(tool)+`,"arguments":`+arguments+`}`)
}

// Echo calls the tool echo, whose answer must be the text.
func Echo(text string) Message {
	m := Call("echo", `{"text":`+quote(text)+`}`)
	m.want = text
	return m
}

func newMessage(method, tool, params string) Message {
	head := `{"jsonrpc":"2.0","id":`
	line := fmt.Sprintf(`%s%d,"method":%q,"params":%s}`, head, firstID, method, params)
	return Message{line: []byte(line), id: len(head), method: method, tool: tool}
}

// Text is n bytes of prose, or of source code with escapes and letters beyond
// ASCII.
func Text(n int, rich bool) string {
	unit := "the quick brown fox jumps over the lazy dog 0123456789 "
	if rich {
		unit = "func main() {\n\tfmt.Println(\"hello, wörld\") // naïve — 日本語 <b>&</b>\n}\n" + unit
	}
	return strings.ToValidUTF8(strings.Repeat(unit, n/len(unit)+1)[:n], "?")
}

// quote escapes what JSON asks for and nothing else, as most clients do.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

// putID writes an id over the digits at the beginning of dst.
func putID(dst []byte, id int) {
	for i := idWidth - 1; i >= 0; i-- {
		dst[i] = byte('0' + id%10)
		id /= 10
	}
}

// nextID is the id after this one.
func nextID(id int) int {
	if id == lastID {
		return firstID
	}
	return id + 1
}

var (
	usualStart = []byte(`{"jsonrpc":"2.0","id":`)
	idMember   = []byte(`"id":`)
)

// answerID finds the id of an answer without decoding it; ok is false for what
// is none, such as a notification. Some servers write the id last.
func answerID(line []byte) (id int, ok bool) {
	at := len(usualStart)
	if !bytes.HasPrefix(line, usualStart) {
		tail := max(0, len(line)-64)
		if at = bytes.LastIndex(line[tail:], idMember); at < 0 {
			return 0, false
		}
		at += tail + len(idMember)
	}
	return leadingID(line[at:])
}

func leadingID(b []byte) (id int, ok bool) {
	if len(b) <= idWidth {
		return 0, false
	}
	for _, c := range b[:idWidth] {
		if c < '0' || c > '9' {
			return 0, false
		}
		id = id*10 + int(c-'0')
	}
	return id, b[idWidth] == ',' || b[idWidth] == '}'
}

// check decodes an answer and says what is wrong with it.
func (m *Message) check(line []byte) error {
	var answer struct {
		Error  json.RawMessage `json:"error"`
		Result *struct {
			IsError bool `json:"isError"`
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
			Tools []json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return fmt.Errorf("%w in %.200s", err, line)
	}
	result := answer.Result
	switch {
	case answer.Error != nil || result == nil || result.IsError:
		return fmt.Errorf("the answer to %s %s is %.300s", m.method, m.tool, line)
	case m.method == "tools/list" && len(result.Tools) == 0:
		return errors.New("there are no tools")
	case m.want != "" && (len(result.Content) != 1 || result.Content[0].Text != m.want):
		return fmt.Errorf("the echo differs: %.300s", line)
	}
	return nil
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// initialize is the first message of a client of a revision.
func initialize(revision string) Message {
	return newMessage("initialize", "",
		`{"protocolVersion":`+quote(revision)+`,"capabilities":{},"clientInfo":{"name":"load","version":"1"}}`)
}
