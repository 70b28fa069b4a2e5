package https_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// A server with a tool for clients with one key. A program calls ListenAndServe with an
// address instead, and a context of signal.NotifyContext.
func ExampleServe() {
	server, err := mcp.New(mcp.Config{Name: "greeter", Version: "1.0.0"}, &mcp.Table{
		Tools: []mcp.Tool{{Name: "greet", Doc: "Greet a person", Call: mcp.Typed(greet)}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	folder, err := os.MkdirTemp("", "greeter")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		endpoint := streamable.New(streamable.Config{Server: server, Auth: streamable.Key("a long secret"), Loopback: true})
		ended <- https.Serve(ctx, listener, folder, endpoint)
	}()
	fmt.Println(callGreet("https://"+listener.Addr().String()+"/mcp", folder))
	stop()
	fmt.Println(<-ended)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Hello, Ada!"}]}}
	// <nil>
}

// callGreet calls the tool as curl would. The certificate is in the folder when the
// connection is accepted.
func callGreet(url, folder string) string {
	roots := x509.NewCertPool()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		InsecureSkipVerify: true, // VerifyConnection checks it with the roots that are read by then
		VerifyConnection: func(state tls.ConnectionState) error {
			pem, err := os.ReadFile(filepath.Join(folder, "cert.pem"))
			if err != nil {
				return err
			}
			roots.AppendCertsFromPEM(pem)
			_, err = state.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, DNSName: "localhost"})
			return err
		},
	}}}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}`
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, strings.NewReader(call))
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Authorization", "Bearer a long secret")
	req.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(req)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(answer.Body)
	return string(text)
}
