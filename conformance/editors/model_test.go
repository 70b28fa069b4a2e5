package editors_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// A model is a fake language model on loopback, with the interfaces of Anthropic, OpenAI
// and Augment. It has each client read one file, if the client offers a tool for that, says
// that it is done, and records what it was sent.
type model struct {
	*httptest.Server
	file string // that clients are to read

	once sync.Once
	done chan struct{} // closed when a client has sent what it read

	mu   sync.Mutex
	sent strings.Builder
}

// newModel starts a model. It ends with the test.
func newModel(t *testing.T, file string) *model {
	m := &model{file: file, done: make(chan struct{})}
	m.Server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(m.Close)
	return m
}

// heard returns everything that clients have sent.
func (m *model) heard() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sent.String()
}

// A turn is a request: what of it decides the answer.
type turn struct {
	Stream bool   `json:"stream"`
	Tools  []tool `json:"tools"`
	text   string
}

// A tool is one that a client offers, in any of three forms.
type tool struct {
	Name       string  `json:"name"`
	Function   *tool   `json:"function"`
	Anthropic  *schema `json:"input_schema"`
	Parameters *schema `json:"parameters"`
}

type schema struct {
	Properties map[string]any `json:"properties"`
}

// readers are the names of tools that read files, and paths those of their arguments.
var (
	readers = regexp.MustCompile(`(?i)^(read|read_files?|view)$`)
	paths   = []string{"file_path", "filePath", "absolute_path", "path"}
)

// manyPaths is the argument of a tool that reads several files.
const manyPaths = "files"

// reading returns the call of a tool that reads the file, ok is false if there is none, or
// one was called already.
func (m *model) reading(t turn) (name, arguments string, ok bool) {
	if m.hasRead(t) {
		return "", "", false
	}
	for _, one := range t.Tools {
		if one.Function != nil {
			one = *one.Function
		}
		s := one.Anthropic
		if s == nil {
			s = one.Parameters
		}
		if !readers.MatchString(one.Name) || s == nil {
			continue
		}
		if _, has := s.Properties[manyPaths]; has {
			return one.Name, fmt.Sprintf(`{%q:[{"path":%q}]}`, manyPaths, m.file), true
		}
		for _, path := range paths {
			if _, has := s.Properties[path]; has {
				return one.Name, fmt.Sprintf("{%q:%q}", path, m.file), true
			}
		}
	}
	return "", "", false
}

// hasRead reports whether a client has sent what it read, and notes that.
func (m *model) hasRead(t turn) bool {
	for _, done := range []string{`"tool_result"`, `"role":"tool"`, `"function_call_output"`, `"tool_result_node"`} {
		if strings.Contains(t.text, done) {
			m.once.Do(func() { close(m.done) })
			return true
		}
	}
	return false
}

func (m *model) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	m.mu.Lock()
	fmt.Fprintf(&m.sent, "%s %s\n%s\n", r.Method, r.URL.Path, body)
	m.mu.Unlock()
	t := turn{text: string(body)}
	answers := map[string]func(io.Writer, turn){
		"/messages": m.messages, "/chat/completions": m.completions, "/responses": m.responses,
		"/chat-stream": m.chatStream,
	}
	for suffix, answer := range answers {
		if !strings.HasSuffix(r.URL.Path, suffix) {
			continue
		}
		if err := json.Unmarshal(body, &t); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if t.Stream {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		answer(w, t)
		return
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		_, _ = io.WriteString(w, `{"input_tokens":10}`)
	case strings.HasSuffix(r.URL.Path, "/models"):
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"fake","object":"model"}]}`)
	case strings.HasSuffix(r.URL.Path, "/get-models"):
		_, _ = io.WriteString(w, `{"default_model":"fake","models":[],"feature_flags":{"enable_hierarchical_rules":true}}`)
	default:
		http.NotFound(w, r)
	}
}

// event writes one event of a stream.
func event(w io.Writer, name, data string) {
	if name != "" {
		fmt.Fprintf(w, "event: %s\n", name)
	}
	fmt.Fprintf(w, "data: %s\n\n", data)
}

// messages answers as Anthropic's Messages does.
func (m *model) messages(w io.Writer, t turn) {
	name, arguments, reads := m.reading(t)
	block, stop := `{"type":"text","text":"done"}`, "end_turn"
	if reads {
		block, stop = fmt.Sprintf(`{"type":"tool_use","id":"toolu_1","name":%q,"input":%s}`, name, arguments), "tool_use"
	}
	const usage = `{"input_tokens":10,"output_tokens":10}`
	message := func(content, stop string) string {
		return fmt.Sprintf(`{"id":"msg_1","type":"message","role":"assistant","model":"fake","content":[%s],"stop_reason":%s,"stop_sequence":null,"usage":%s}`, content, stop, usage)
	}
	if !t.Stream {
		_, _ = io.WriteString(w, message(block, fmt.Sprintf("%q", stop)))
		return
	}
	event(w, "message_start", `{"type":"message_start","message":`+message("", "null")+`}`)
	start, delta := `{"type":"text","text":""}`, `{"type":"text_delta","text":"done"}`
	if reads {
		start = fmt.Sprintf(`{"type":"tool_use","id":"toolu_1","name":%q,"input":{}}`, name)
		delta = fmt.Sprintf(`{"type":"input_json_delta","partial_json":%q}`, arguments)
	}
	event(w, "content_block_start", `{"type":"content_block_start","index":0,"content_block":`+start+`}`)
	event(w, "content_block_delta", `{"type":"content_block_delta","index":0,"delta":`+delta+`}`)
	event(w, "content_block_stop", `{"type":"content_block_stop","index":0}`)
	event(w, "message_delta", fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":10}}`, stop))
	event(w, "message_stop", `{"type":"message_stop"}`)
}

// completions answers as OpenAI's Chat Completions does.
func (m *model) completions(w io.Writer, t turn) {
	name, arguments, reads := m.reading(t)
	says, stop := `"role":"assistant","content":"done"`, "stop"
	if reads {
		says = fmt.Sprintf(`"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":%q,"arguments":%q}}]`, name, arguments)
		stop = "tool_calls"
	}
	const usage = `"usage":{"prompt_tokens":10,"completion_tokens":10,"total_tokens":20}`
	if !t.Stream {
		fmt.Fprintf(w, `{"id":"c1","object":"chat.completion","created":1,"model":"fake","choices":[{"index":0,"message":{%s},"finish_reason":%q}],%s}`, says, stop, usage)
		return
	}
	chunk := `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"fake","choices":[{"index":0,"delta":{%s},"finish_reason":%s}]%s}`
	event(w, "", fmt.Sprintf(chunk, says, "null", ""))
	event(w, "", fmt.Sprintf(chunk, "", fmt.Sprintf("%q", stop), ","+usage))
	event(w, "", "[DONE]")
}

// responses answers as OpenAI's Responses does.
func (m *model) responses(w io.Writer, t turn) {
	name, arguments, reads := m.reading(t)
	item := `{"type":"message","id":"m1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"done","annotations":[]}]}`
	if reads {
		item = fmt.Sprintf(`{"type":"function_call","id":"f1","call_id":"call_1","status":"completed","name":%q,"arguments":%q}`, name, arguments)
	}
	response := func(status, output string) string {
		return fmt.Sprintf(`{"id":"r1","object":"response","created_at":1,"status":%q,"model":"fake","output":[%s],"usage":{"input_tokens":10,"output_tokens":10,"total_tokens":20}}`, status, output)
	}
	if !t.Stream {
		_, _ = io.WriteString(w, response("completed", item))
		return
	}
	event(w, "response.created", `{"type":"response.created","sequence_number":0,"response":`+response("in_progress", "")+`}`)
	event(w, "response.output_item.added", `{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":`+item+`}`)
	event(w, "response.output_item.done", `{"type":"response.output_item.done","sequence_number":2,"output_index":0,"item":`+item+`}`)
	event(w, "response.completed", `{"type":"response.completed","sequence_number":3,"response":`+response("completed", item)+`}`)
}

// chatStream answers as Augment's service does: a line of JSON, with a node for a text or
// for the call of a tool.
func (m *model) chatStream(w io.Writer, t turn) {
	node, stop := `{"id":1,"type":0,"content":"done"}`, 1
	if !m.hasRead(t) {
		arguments := fmt.Sprintf(`{"type":"file","path":%q}`, m.file)
		node, stop = fmt.Sprintf(`{"id":1,"type":5,"content":"","tool_use":{"tool_use_id":"t1","tool_name":"view","input_json":%q}}`, arguments), 3
	}
	fmt.Fprintf(w, `{"text":"","nodes":[%s],"stop_reason":%d}`+"\n", node, stop)
}
