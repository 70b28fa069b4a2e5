// Package https serves HTTP handlers over TLS, with time limits, connection limits,
// health checks and a graceful end.
//
// It speaks TLS 1.2 and 1.3, reads certificate files again when they change, and can
// make a self-signed certificate. /healthz reports that the process runs, /readyz that
// it can serve; neither requires a key.
//
// # Concurrency
//
// [Server.Serve] blocks, and ends all that it started.
package https
