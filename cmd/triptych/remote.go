package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// remoteFlags say which server a command talks to; without a URL it is one in
// this process.
type remoteFlags struct{ url, key, cacert string }

func (f *remoteFlags) register(set *pflag.FlagSet) {
	set.StringVar(&f.url, "url", "", "ask the server at this `url`, such as https://127.0.0.1:8443/mcp, instead of one in this process (TRIPTYCH_URL)")
	set.StringVar(&f.key, "key", "", "show it this `key`; the variable is safer, since others may see command lines (TRIPTYCH_KEY)")
	set.StringVar(&f.cacert, "cacert", "", "trust the certificates in this PEM `file`; for loopback the one in the data folder is trusted anyway")
}

// A remote carries the lines of a client to a server over HTTPS, one at a
// time, and its answers back.
type remote struct {
	url, key string
	client   *http.Client
	session  string
}

// dialRemote returns the server that the flags and the environment name, nil
// when they name none.
func (a *app) dialRemote() (*remote, error) {
	f := &a.flags.remote
	r := &remote{url: cmp.Or(f.url, a.getenv("TRIPTYCH_URL")), key: cmp.Or(f.key, a.getenv("TRIPTYCH_KEY"))}
	if r.url == "" {
		return nil, nil
	}
	u, err := endpointURL(r.url)
	if err != nil {
		return nil, err
	}
	r.url = u.String()
	roots, err := a.trusted(u)
	if err != nil {
		return nil, err
	}
	r.client = &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second,
	}}
	return r, nil
}

// endpointURL parses the URL of a server; one without a path gets that of the endpoint.
func endpointURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, misused("--url is %q, want one such as https://127.0.0.1:8443/mcp", text)
	}
	if u.Path == "" || u.Path == "/" {
		u = u.JoinPath("mcp")
	}
	return u, nil
}

// trusted are the system's roots and those of --cacert or of our own server.
func (a *app) trusted(u *url.URL) (*x509.CertPool, error) {
	file := a.flags.remote.cacert
	if file == "" && isLoopback(u.Hostname()) {
		data, err := a.dataDir()
		if err != nil {
			return nil, err
		}
		if file = filepath.Join(data, "tls", "cert.pem"); !exists(file) {
			return nil, nil
		}
	}
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate", file)
	}
	return roots, nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// serve carries lines until there are no more, and then ends the session.
func (r *remote) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, maxArguments+1<<20)
	for scanner.Scan() {
		if err := r.carry(ctx, scanner.Bytes(), out); err != nil {
			return err
		}
	}
	if r.session != "" {
		if resp, err := r.do(ctx, http.MethodDelete, nil); err == nil {
			_ = resp.Body.Close() // it was only to be polite
		}
	}
	return scanner.Err()
}

// carry posts one message and hands back what is said to it.
func (r *remote) carry(ctx context.Context, line []byte, out io.Writer) error {
	resp, err := r.do(ctx, http.MethodPost, line)
	if err != nil {
		return hinted(err, unreached(err))
	}
	defer func() { _ = resp.Body.Close() }() // read to its end
	r.session = cmp.Or(resp.Header.Get("Mcp-Session-Id"), r.session)
	switch {
	case resp.StatusCode == http.StatusAccepted:
		return nil
	case resp.Header.Get("Content-Type") == "text/event-stream":
		return copyEvents(resp.Body, out)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxArguments))
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		body = refusal(line, resp, body)
	}
	_, err = out.Write(append(body, '\n'))
	return err
}

// unreached returns advice for users whose server cannot be reached.
func unreached(err error) string {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the server's certificate is not trusted; --cacert FILE trusts one, such as tls/cert.pem of the server's data folder"
	}
	return "is the server running? triptych serve starts one"
}

func (r *remote) do(ctx context.Context, method string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if r.key != "" {
		req.Header.Set("Authorization", "Bearer "+r.key)
	}
	if r.session != "" {
		req.Header.Set("Mcp-Session-Id", r.session)
		req.Header.Set("Mcp-Protocol-Version", newestHandshake())
	}
	return r.client.Do(req)
}

// copyEvents hands on the messages of an event stream.
func copyEvents(body io.Reader, out io.Writer) error {
	scanner := bufio.NewScanner(body)
	scanner.Buffer(nil, maxArguments)
	for scanner.Scan() {
		if data, ok := strings.CutPrefix(scanner.Text(), "data: "); ok && data != "" {
			if _, err := io.WriteString(out, data+"\n"); err != nil {
				return err
			}
		}
	}
	return scanner.Err()
}

// refusal is an error answer to the request in line: a server that refuses a
// request did not look at its id.
func refusal(line []byte, resp *http.Response, body []byte) []byte {
	var asked struct {
		ID json.RawMessage `json:"id"`
	}
	var said struct {
		Error *struct {
			Code    jsonrpc.Code    `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	_ = json.Unmarshal(line, &asked) // our own client wrote it
	err := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server answered " + resp.Status + spoken(resp, body)}
	if json.Unmarshal(body, &said) == nil && said.Error != nil {
		err = &jsonrpc.Error{Code: said.Error.Code, Message: said.Error.Message, Data: said.Error.Data}
	}
	return jsonrpc.AppendError(nil, jsonrpc.RawID(asked.ID), true, err)
}

// maxSpoken limits the bytes that are shown of a text that is no message.
const maxSpoken = 200

// spoken returns the text with which a server refuses, for people.
func spoken(resp *http.Response, body []byte) string {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	text := strings.ToValidUTF8(string(bytes.TrimSpace(body[:min(len(body), maxSpoken)])), "")
	if err != nil || kind != "text/plain" || text == "" {
		return ""
	}
	return ": " + oneLine(text)
}

// converseRemotely is converse with a server somewhere else.
func (a *app) converseRemotely(ctx context.Context, r *remote) (*conversation, error) {
	requests, toServer := io.Pipe()
	answers, toClient := io.Pipe()
	c := &conversation{}
	var lost error // why the server cannot be reached
	c.done.Go(func() {
		err := r.serve(ctx, requests, toClient)
		lost = err
		_ = toClient.CloseWithError(cmp.Or(err, io.EOF)) // a pipe's never fails
		_ = requests.CloseWithError(cmp.Or(err, io.EOF)) // likewise
	})
	c.client = jsonrpc.NewClient(answers, toServer, jsonrpc.ClientConfig{})
	c.hangUp = func() { _ = toServer.Close() }
	if err := c.initialize(ctx); err != nil {
		closed := c.Close()
		return nil, cmp.Or(lost, errors.Join(err, closed))
	}
	return c, nil
}
