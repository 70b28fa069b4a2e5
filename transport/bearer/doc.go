// Package bearer authenticates HTTP requests by bearer keys and access tokens: it
// turns the Authorization header into a principal, slows down guessing, and charges
// requests to the plan of the key.
//
// A [Authenticator] implements [streamable.Authenticator]. Refusals have the documented
// codes and statuses, and are passed to [Config.Rejected] for the audit trail:
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
// Streams call [Authenticator.Valid] before they send more, so that revoking a key ends
// them at once.
//
// # Access tokens
//
// With an [OIDC], JSON Web Tokens of one issuer are accepted, too. The principal is
// oidc: and the token's subject; it has those scopes of the token that the server
// knows, and the plan that the server gives all tokens. With a [GroupRule], the principal is
// a key, and the client that acts for it the token's subject. [Resource] names the issuer to
// clients (RFC 9728).
//
// # Concurrency
//
// An Authenticator may be used by any number of goroutines and has none of its own.
//
// # A request's way
//
//	Authenticator.Authenticate  before the body is read
//	  identify                  the Authorization header
//	    byKey                   keys.Ring, or what is remembered of it
//	    byToken                 Verifier: an OIDC
//	  refuse                    throttle, tally, challenge
//	  refuseInvalid             a key that has sent too many invalid bodies
//	Authenticator.Charge        when the calls in the body are known
//	Authenticator.Forbid        when a handler wants a scope that is missing
//	Authenticator.Valid         again and again, while a stream is open
//
// The two steps are apart because a body costs memory: it is read for authenticated
// clients only, and its price is known after it was read.
//
// # When stores fail
//
// While keys cannot be looked up, keys that were good when that was last possible may
// still send probes (ping and the like), so that hosts do not drop a server that will be
// back; all else gets 503. While counters cannot be reached, only probes are served, too:
// anything else could exceed the plan. Handshakes are then counted by each server alone.
package bearer
