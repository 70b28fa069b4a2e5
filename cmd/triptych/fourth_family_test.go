package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// chess is a family that the program does not know.
type chess struct{}

func (chess) RegisterFlags(*pflag.FlagSet) {}

func (c chess) Scopes() []host.Scope { return c.table().Scopes() }

func (c chess) Tools() []mcp.Tool { return c.table().Tools }

func (c chess) Open(context.Context, host.Env) (*mcp.Table, error) { return c.table(), nil }

func (chess) table() *mcp.Table {
	return &mcp.Table{Family: "chess", Tools: []mcp.Tool{{
		Name: "make_move", Scope: "chess:play", Doc: "Make a move",
		Call: mcp.Typed(func(_ context.Context, _ *mcp.Call, args struct {
			Move string `json:"move" doc:"Move in algebraic notation"`
		},
		) (string, error) {
			return "played " + args.Move, nil
		}),
	}}}
}

// withChess returns a run of the program with a family more, and its output.
func withChess(t *testing.T, data string) (a *app.App, out, errs *os.File) {
	t.Helper()
	a = app.New()
	a.Families = append(a.Families, app.Family{Name: "chess", About: "a game", Config: chess{}})
	a.Getenv = func(name string) string { return map[string]string{"TRIPTYCH_DATA": data}[name] }
	out, errs = scratch(t), scratch(t)
	a.Out, a.Err = out, errs
	return a, out, errs
}

func scratch(t *testing.T) *os.File {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // it was read
	return f
}

func content(t *testing.T, f *os.File) string {
	t.Helper()
	text, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A family is one folder and one line: its scope can be given to a key, and a key
// with it can call its tools over HTTPS, one without it cannot.
func TestFourthFamily(t *testing.T) {
	data := t.TempDir()
	key := func(scope string) string {
		a, out, errs := withChess(t, data)
		if status := a.Run(t.Context(), root(a), []string{"key", "create", "--scopes", scope}); status != 0 {
			t.Fatalf("key create: status %d: %s", status, content(t, errs))
		}
		return strings.TrimSpace(content(t, out))
	}
	player, reader := key("chess:play"), key("aoc:read")

	ctx, stop := context.WithCancel(t.Context())
	a, _, errs := withChess(t, data)
	ended := make(chan int, 1)
	go func() {
		ended <- a.Run(ctx, root(a), []string{"serve", "--listen", "127.0.0.1:0", "--families", "chess,aoc"})
	}()
	defer func() {
		stop()
		if status := <-ended; status != 0 {
			t.Errorf("serve: status %d: %s", status, content(t, errs))
		}
	}()
	url := served(t, errs)
	client := trusting(t, filepath.Join(data, "tls"))
	for token, want := range map[string]int{player: http.StatusOK, reader: http.StatusForbidden} {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"make_move","arguments":{"move":"e4"}}}`
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close() // it was read
		played := bytes.Contains(text, []byte("played e4"))
		if err != nil || answer.StatusCode != want || played != (want == http.StatusOK) || !json.Valid(text) {
			t.Errorf("status %d, want %d: %s, %v", answer.StatusCode, want, text, err)
		}
	}
}

// served waits until a server says where it is.
func served(t *testing.T, errs *os.File) string {
	t.Helper()
	where := regexp.MustCompile(`serving (https://\S+)`)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if found := where.FindStringSubmatch(content(t, errs)); found != nil {
			return found[1]
		}
	}
	t.Fatalf("the server does not say where it is: %s", content(t, errs))
	return ""
}

// trusting returns a client that trusts the certificates in a folder.
func trusting(t *testing.T, dir string) *http.Client {
	t.Helper()
	pool := x509.NewCertPool()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pool.AppendCertsFromPEM(text)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	t.Cleanup(client.CloseIdleConnections)
	return client
}
