// Package bearer is the door of the HTTPS server: it turns the Authorization
// header into a principal, slows down those who guess, and charges requests to
// the key's plan.
//
// A [Authenticator] implements [streamable.Authenticator]. Whoever is refused is told by the
// documented code and status, and the refusal is handed to [Config.Rejected] for
// the audit trail:
//
//	no key, unknown or revoked      -32001   401
//	expired                         -32010   401
//	address or scope not allowed    -32003   403
//	quota or rate used up           -32002   429
//	too many wrong keys at once     -32002   429
//	too many handshakes             -32002   429
//	too many broken bodies          -32002   429
//	keys or counters out of reach   -32603   503
//
// Streams ask [Authenticator.Valid] before they send more, so a key that is revoked falls
// silent at once.
//
// # Access tokens
//
// With an [OIDC], JSON Web Tokens of one issuer open the door, too. Whoever shows
// one is known as oidc: and its subject, has the scopes that the token names and
// that we know, and the plan that the server gives everybody. [Resource] tells
// clients who the issuer is (RFC 9728).
//
// # Concurrency
//
// An Authenticator may be used by any number of goroutines and has none of its own.
package bearer
