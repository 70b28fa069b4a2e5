// Package bearer is the door of the HTTPS server: it turns the Authorization
// header into a principal, slows down those who guess, and charges requests to
// the key's plan.
//
// A [Door] implements [streamable.Door]. Whoever is refused is told by the
// documented code and status, and the refusal is handed to [Config.Refused] for
// the audit trail:
//
//	no key, unknown or revoked      -32001   401
//	the same, too often at once     -32001   429
//	expired                         -32010   401
//	address or scope not allowed    -32003   403
//	quota or rate used up           -32002   429
//	keys or counters out of reach   -32603   503
//
// # Concurrency
//
// A Door may be used by any number of goroutines and has none of its own.
package bearer
