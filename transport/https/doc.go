// Package https serves HTTP handlers over TLS, with time limits, connection limits,
// health checks and a graceful end.
//
// It speaks TLS 1.2 and 1.3, reads certificate files again when they change, and can
// make a self-signed certificate. /healthz reports that the process runs, /readyz that
// it can serve; neither requires a key.
//
//	err := https.ListenAndServe(ctx, "127.0.0.1:8443", "tls", endpoint) // until ctx is done
//
// does all of it with defaults. A program chooses its own certificate, routes and limits so:
//
//	certificates, err := https.LoadCertificates("cert.pem", "key.pem", log)
//	server := https.New(https.Config{Certificates: certificates, Routes: table})
//	err = server.Serve(ctx, listener) // until ctx is done
//
// # Limits
//
// A client that has shown no key costs little: its connections are counted by address, the
// head of a request has a time limit and a size limit, and what is buffered of a request
// counts against a limit of its address. At the limit of connections the idle ones of
// clients without a key are closed first. Handlers limit clients
// with a key.
//
// Short requests over HTTP/1.1 to a route with its own body are read by package http1, all others,
// HTTP/2 among them, by net/http. Both call the same handlers.
//
// # Concurrency
//
// [Server.Serve] blocks, and ends all that it started. Handlers are called from many
// goroutines at once. [Certificates] reads files at handshakes and when [Certificates.Reload]
// is called; no goroutine watches them.
package https
