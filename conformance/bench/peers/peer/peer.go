// Package peer has what the peers share: how they serve over HTTPS.
package peer

import (
	"crypto/tls"
	"flag"
	"net/http"
	"time"
)

// A Web is the address and certificate of an HTTPS peer.
type Web struct {
	Listen    string // "" is standard input and output
	Cert, Key string // PEM files
}

// Flags defines the flags of the program.
func (w *Web) Flags() {
	flag.StringVar(&w.Listen, "listen", "", "serve HTTPS at this `address`")
	flag.StringVar(&w.Cert, "cert", "", "PEM `file` of the certificate")
	flag.StringVar(&w.Key, "key", "", "PEM `file` of its key")
}

// Serve serves h at /mcp with HTTP/1.1, the only version that the driver supports.
func (w *Web) Serve(h http.Handler) error {
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	server := &http.Server{
		Addr: w.Listen, Handler: mux, ReadHeaderTimeout: time.Minute,
		TLSConfig:    &tls.Config{NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12},
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
	return server.ListenAndServeTLS(w.Cert, w.Key)
}
