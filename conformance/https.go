package conformance

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// An httpsTransport sends each line as the body of a POST, with the headers that a
// client of its revision sends. After initialization it reads the session's GET
// stream.
type httpsTransport struct {
	cmd      *exec.Cmd
	url, key string
	client   *http.Client
	lines    chan string
	patience time.Duration
	ctx      context.Context //nolint:containedctx // of the streams, which outlive the calls that open them
	stop     context.CancelFunc
	readers  sync.WaitGroup

	session, revision string // of a client of a revision with sessions
}

// openHTTPS starts the program, reads its address from what it prints and its first key
// from its file, and trusts the certificate that it creates.
func openHTTPS(ctx context.Context, program, env []string, data string, patience time.Duration) (*httpsTransport, error) {
	w := &httpsTransport{lines: make(chan string, 1000), patience: patience}
	w.ctx, w.stop = context.WithCancel(ctx)
	w.cmd = exec.CommandContext(ctx, program[0], program[1:]...)
	w.cmd.Env = append(os.Environ(), env...)
	log, err := w.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := w.cmd.Start(); err != nil {
		return nil, err
	}
	if w.url, err = address(log); err != nil {
		return nil, err
	}
	if w.key, err = firstKey(ctx, data, patience); err != nil {
		return nil, err
	}
	return w, w.trust(filepath.Join(data, "tls", "cert.pem"))
}

// firstKey waits for the file of the first key and returns the key.
func firstKey(ctx context.Context, data string, patience time.Duration) (string, error) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	for {
		key, err := os.ReadFile(filepath.Join(data, "keys", "first-key"))
		if err == nil {
			return strings.TrimSpace(string(key)), nil
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("the first key: %w", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// address returns the address from the log. It copies lines before it to standard
// error and discards the rest.
func address(log io.Reader) (string, error) {
	scanner := bufio.NewScanner(log)
	for scanner.Scan() {
		if _, url, ok := strings.Cut(scanner.Text(), "serving "); ok {
			go func() { _, _ = io.Copy(io.Discard, log) }() // it ends with the program
			return url, nil
		}
		fmt.Fprintln(os.Stderr, scanner.Text())
	}
	return "", mcptest.ErrEnded
}

func (w *httpsTransport) trust(file string) error {
	pem, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return fmt.Errorf("%s has no certificate", file)
	}
	w.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	return nil
}

// An outline holds the members of a message that its headers repeat.
type outline struct {
	Method string
	Params struct {
		Name, URI, TaskID string
		Meta              struct {
			Claim any `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	}
}

// Send implements [mcptest.Transport].
func (w *httpsTransport) Send(line string) error {
	var about outline
	_ = json.Unmarshal([]byte(line), &about) // an invalid message has no outline
	if about.Method == "initialize" && about.Params.Meta.Claim == nil {
		w.session, w.revision = "", ""
	}
	resp, err := w.do(http.MethodPost, line, w.headers(&about)) //nolint:bodyclose // take closes it
	if err != nil {
		return err
	}
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		w.session = id
	}
	if err := w.take(resp, about.Method == "initialize"); err != nil {
		return err
	}
	if about.Method == "notifications/initialized" && w.session != "" {
		return w.listen()
	}
	return nil
}

// headers returns the headers that the message's revision requires.
func (w *httpsTransport) headers(about *outline) map[string]string {
	headers := map[string]string{"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
	claim, ok := about.Params.Meta.Claim.(string)
	if !ok {
		if w.session != "" {
			headers["Mcp-Session-Id"], headers["Mcp-Protocol-Version"] = w.session, w.revision
		}
		return headers
	}
	headers["Mcp-Protocol-Version"], headers["Mcp-Method"] = mirror(claim), about.Method
	switch about.Method {
	case "tools/call", "prompts/get":
		headers["Mcp-Name"] = mirror(about.Params.Name)
	case "resources/read":
		headers["Mcp-Name"] = mirror(about.Params.URI)
	case "tasks/get", "tasks/update", "tasks/cancel":
		headers["Mcp-Name"] = mirror(about.Params.TaskID)
	}
	return headers
}

// mirror encodes a value for a header.
func mirror(value string) string {
	for _, c := range []byte(value) {
		if c < 0x20 || c > 0x7e {
			return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(value)) + "?="
		}
	}
	return value
}

func (w *httpsTransport) do(method, body string, headers map[string]string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(w.ctx, method, w.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+w.key)
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	return w.client.Do(req)
}

// take passes on the messages of an answer; those of a stream as they arrive.
func (w *httpsTransport) take(resp *http.Response, settles bool) error {
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		w.readers.Go(func() { w.read(resp.Body) })
		return nil
	}
	defer func() { _ = resp.Body.Close() }() // read to its end
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if len(body) > 0 {
		w.lines <- string(body)
	}
	var answer struct {
		Result struct{ ProtocolVersion string }
	}
	if settles && json.Unmarshal(body, &answer) == nil {
		w.revision = answer.Result.ProtocolVersion
	}
	return nil
}

// read passes on the events of a stream until it ends.
func (w *httpsTransport) read(body io.ReadCloser) {
	defer func() { _ = body.Close() }() // read to its end, or abandoned on purpose
	scanner := bufio.NewScanner(body)
	scanner.Buffer(nil, maxLine)
	for scanner.Scan() {
		if data, ok := bytes.CutPrefix(scanner.Bytes(), []byte("data: ")); ok && len(data) > 0 {
			w.lines <- string(data)
		}
	}
}

// listen opens the session's GET stream.
func (w *httpsTransport) listen() error {
	resp, err := w.do(http.MethodGet, "", map[string]string{
		"Accept": "text/event-stream", "Mcp-Session-Id": w.session, "Mcp-Protocol-Version": w.revision,
	})
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return errors.Join(fmt.Errorf("GET: %s", resp.Status), resp.Body.Close())
	}
	w.readers.Go(func() { w.read(resp.Body) })
	return nil
}

// Receive implements [mcptest.Transport].
func (w *httpsTransport) Receive() (string, error) {
	select {
	case line := <-w.lines:
		return line, nil
	case <-time.After(w.patience):
		return "", fmt.Errorf("no answer within %v", w.patience)
	}
}

// Close implements [mcptest.Transport]. It closes the streams and stops the server.
func (w *httpsTransport) Close() error {
	w.stop()
	w.readers.Wait()
	w.client.CloseIdleConnections() // the server would wait a second for them
	errs := []error{w.cmd.Process.Signal(syscall.SIGTERM)}
	killer := time.AfterFunc(w.patience, func() { _ = w.cmd.Process.Kill() })
	if err := w.cmd.Wait(); err != nil {
		errs = append(errs, fmt.Errorf("it exited with %w", err))
	}
	killer.Stop()
	close(w.lines)
	for line := range w.lines {
		errs = append(errs, fmt.Errorf("it also sent %s", line))
	}
	return errors.Join(errs...)
}
