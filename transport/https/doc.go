// Package https is the listener of the HTTPS road: TLS, time limits, connection
// limits, health, and an end that lets what runs finish.
//
// Bound to loopback, TLS 1.2 and up, certificate files that are read again when
// they change; without files a self-signed certificate that is made once.
// /healthz says that the process lives, /readyz that it can serve; neither asks
// for a key. Metrics have a listener of their own.
//
// # Concurrency
//
// [Server.Serve] blocks, and ends all that it started.
package https
