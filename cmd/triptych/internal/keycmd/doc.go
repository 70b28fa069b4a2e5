// Package keycmd is triptych key: making, changing and revoking the bearer keys of a
// server.
package keycmd
