// Package oauth is the authorization server of a server of keys: hosts that know no way to
// send a key, such as claude.ai, get tokens that stand for one. A person pastes a key into a
// page, sees what it may do and which client asks, and allows or refuses.
//
//	server := oauth.New(oauth.Config{Store: store, Auth: authenticator, Secret: secret, Resource: endpoint})
//	rows := server.Routes()
//
// A [Server] has no store of its own. What a person allows is a [keys.Grant] in the record of
// the key; what needs to be remembered before that is sealed with a secret that the servers of
// a store share, and given to the browser or the client. So a login can begin at one server and
// end at another, 10,000 registrations take no memory, and revoking a key ends its clients
// wherever the key ends.
//
//	GET  /.well-known/oauth-authorization-server   RFC 8414, also below any path
//	GET  /.well-known/oauth-protected-resource     RFC 9728, also below any path
//	POST /oauth/register                           RFC 7591: a client's redirects become its id
//	GET  /oauth/authorize                          the page; PKCE with S256, RFC 8707, RFC 9207
//	POST /oauth/authorize                          a key was pasted; or allow, or refuse
//	POST /oauth/token                              codes, refresh tokens, client credentials
//
// # Clients
//
// The id of a client is the URL of its metadata document, which is known (known.go) or fetched
// (document.go), or what registration has returned (register.go). Either way the browser is sent only to
// redirects of the list in redirect.go.
//
// # Tokens
//
// A code and the refresh tokens that follow it begin with the same [keys.Token], the family,
// and end with a text that works once. A family that comes with another text was copied: the
// grant ends with all of its tokens. Access tokens work for an hour, with the rights that the
// key has at that moment, at the resource for which they were made.
//
// # Invitations
//
// Where people paste a key they can paste the link of an invitation ([keys.Store.Invite]) instead.
// It is used up when they allow the client, which gets tokens of the key as it is.
//
// # Concurrency
//
// A Server may be used by any number of goroutines and has none of its own.
package oauth
