// Command ceiling is no server: it shows how fast a pipe and net/http can be at
// all. It looks for the id and the text by their names, copies them into an
// answer, and writes as seldom as it can. It parses and checks nothing.
//
//	ceiling [-like FILE]                             # over standard input and output, with the tools of FILE
//	ceiling -listen ADDRESS -cert FILE -key FILE     # over HTTPS
//	ceiling -listen ADDRESS ... -trail FILE          # with each request on disk before its answer
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"

	"github.com/triptych-mcp/triptych/conformance/bench/peers/peer"
)

const hello = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"ceiling","version":"1"}}`

// tools is the list of tools that it serves.
var tools = []byte(`[{"name":"echo","description":"echoes text","inputSchema":{"type":"object"}}]`)

var (
	idMember     = []byte(`"id":`)
	methodMember = []byte(`"method":"`)
	textMember   = []byte(`"text":"`)
)

func main() {
	var web peer.Web
	web.Flags()
	path := flag.String("trail", "", "keep a line of each request over HTTPS in this `file`")
	like := flag.String("like", "", "list the tools of this JSON `file`")
	flag.Parse()
	if err := serve(&web, *path, *like); err != nil {
		fmt.Fprintln(os.Stderr, "ceiling:", err)
		os.Exit(1)
	}
}

func serve(web *peer.Web, path, like string) (err error) {
	if like != "" {
		if tools, err = os.ReadFile(like); err != nil {
			return err
		}
	}
	if web.Listen == "" {
		return stdio()
	}
	if path == "" {
		return web.Serve(http.HandlerFunc(post))
	}
	t, err := openTrail(path)
	if err != nil {
		return err
	}
	return web.Serve(recorded{t})
}

// stdio reads all there is and answers it with one write.
func stdio() error {
	in, out := make([]byte, 0, 256<<10), []byte(nil)
	seen := 0 // bytes of in that have no end of line
	for {
		if len(in) == cap(in) {
			in = append(make([]byte, 0, 2*cap(in)), in...)
		}
		n, err := os.Stdin.Read(in[len(in):cap(in)])
		in = in[:len(in)+n]
		out = out[:0]
		begin := 0
		for {
			end := bytes.IndexByte(in[begin+seen:], '\n')
			if end < 0 {
				break
			}
			end += begin + seen
			out = answer(out, in[begin:end], '\n')
			begin, seen = end+1, 0
		}
		seen = len(in) - begin
		in = in[:copy(in, in[begin:])]
		if _, err := os.Stdout.Write(out); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// answer appends the answer to a message, and an end, to dst.
func answer(dst, message []byte, end ...byte) []byte {
	_, id, ok := bytes.Cut(message, idMember)
	if !ok {
		return dst // a notification
	}
	id = id[:bytes.IndexAny(id, ",}")]
	dst = append(append(append(dst, `{"jsonrpc":"2.0","id":`...), id...), `,"result":`...)
	switch _, method, _ := bytes.Cut(message, methodMember); {
	case bytes.HasPrefix(method, []byte("tools/c")):
		dst = append(append(append(dst, `{"content":[{"type":"text","text":"`...), literal(message)...), `"}]}`...)
	case bytes.HasPrefix(method, []byte("tools/l")):
		dst = append(append(append(dst, `{"tools":`...), tools...), '}')
	case bytes.HasPrefix(method, []byte("init")):
		dst = append(dst, hello...)
	default:
		dst = append(dst, "{}"...)
	}
	return append(append(dst, '}'), end...)
}

// literal is the text as it was written, up to a quote with an even number of
// backslashes before it.
func literal(message []byte) []byte {
	_, text, _ := bytes.Cut(message, textMember)
	for end := 0; ; end++ {
		n := bytes.IndexByte(text[end:], '"')
		if n < 0 {
			return nil
		}
		end += n
		begin := end
		for begin > 0 && text[begin-1] == '\\' {
			begin--
		}
		if (end-begin)%2 == 0 {
			return text[:end]
		}
	}
}

// post is the least that a handler of net/http does.
func post(w http.ResponseWriter, r *http.Request) {
	if body, err := read(r); err == nil {
		reply(w, body)
	}
}

// recorded is post with a trail.
type recorded struct{ *trail }

func (t recorded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := read(r)
	if err == nil {
		err = t.keep(body)
	}
	if err == nil {
		reply(w, body)
	}
}

func read(r *http.Request) ([]byte, error) {
	body := make([]byte, max(0, r.ContentLength))
	_, err := io.ReadFull(r.Body, body)
	return body, err
}

func reply(w http.ResponseWriter, body []byte) {
	out := answer(make([]byte, 0, len(body)+128), body)
	if len(out) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header()["Content-Type"] = []string{"application/json"}
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(out))}
	_, _ = w.Write(out) // the client may have gone
}
