package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/conformance/bench/load"
)

// triptych is the whole program over standard input and output.
func (b *bench) triptych(flags ...string) load.Server {
	words := append([]string{b.program("triptych"), "stdio", "--data", b.data, "--log-level", "error"}, flags...)
	return load.Server{Name: ours, Argv: words, Revision: revision}
}

// imitation is a server of the Go SDK with the same tools, as they are listed.
func (b *bench) imitation(ctx context.Context) (s load.Server, err error) {
	conn, err := load.Open(ctx, b.triptych())
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	answer, _, err := load.Once(conn, load.List())
	if err != nil {
		return s, err
	}
	var list struct {
		Result struct{ Tools json.RawMessage }
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		return s, err
	}
	words := []string{b.program("gosdk"), "-like", b.toolsFile()}
	return load.Server{Name: gosdk, Argv: words, Revision: revision}, os.WriteFile(b.toolsFile(), list.Result.Tools, 0o644)
}

// toolsFile is the file that imitation writes the list of our tools to.
func (b *bench) toolsFile() string { return filepath.Join(b.data, "tools.json") }

// nodeScript is the TypeScript peer, "" where npm cannot install it.
func (b *bench) nodeScript() string { return b.typescript }

// installNode installs the TypeScript SDK. Machines without npm do without.
func (b *bench) installNode(ctx context.Context) {
	from, to := filepath.Join(b.root, "conformance", "bench", "peers", "node"), filepath.Join(b.bin, "node")
	if !installed("npm") {
		return
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil && !errors.Is(err, os.ErrExist) {
		return
	}
	if _, err := run(ctx, to, "npm", "ci", "--no-audit", "--no-fund"); err == nil {
		b.typescript = filepath.Join(to, "echo.mjs")
	}
}

// web is a server over HTTPS with the certificate and the key of the data folder.
func (b *bench) web(name string, words ...string) load.Server {
	return load.Server{Name: name, Argv: words, URL: "https://127.0.0.1:{port}/mcp", Bearer: b.bearer}
}

// peerWeb is a peer over HTTPS, which asks for no key.
func (b *bench) peerWeb(name, program string, flags ...string) load.Server {
	s := b.web(name, append([]string{b.program(program), "-listen", "127.0.0.1:{port}",
		"-cert", filepath.Join(b.data, "tls", "cert.pem"), "-key", filepath.Join(b.data, "tls", "key.pem")}, flags...)...)
	s.Bearer, s.Revision = "", revision
	return s
}

// serve returns the whole program as an HTTPS server, without a handshake by default.
func (b *bench) serve(flags ...string) load.Server {
	words := append([]string{b.program("triptych"), "serve", "--listen", "127.0.0.1:{port}", "--data", b.data, "--log-level", "error"}, flags...)
	return b.web("triptych serve", words...)
}

// echoWeb is the echo of our packages over HTTPS, with key, quota and audit.
func (b *bench) echoWeb() load.Server {
	return b.web(ours, b.program("echo"), "-listen", "127.0.0.1:{port}", "-data", b.echoData)
}

// typescriptVersion is the version that the lock file pins.
func typescriptVersion(b *bench) string {
	text := contents(filepath.Join(b.bin, "node", "package-lock.json"))
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal([]byte(text), &lock); err != nil {
		return ""
	}
	return lock.Packages["node_modules/@modelcontextprotocol/sdk"].Version
}
