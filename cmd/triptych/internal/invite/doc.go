// Package invite serves the links of invitations: pages that show a person the key that was
// made for them, once, with what to do in each host.
//
//	pages := invite.New(invite.Config{Store: store, Auth: authenticator, Resource: endpoint})
//	rows := pages.Routes()
//
//	GET  /invite/{link}  what the link is for; programs that fetch links to look at them do not use it up
//	POST /invite/{link}  uses the link up, and shows the key
//
// A POST that accepts only JSON gets a [Redeemed], for triptych config --invite.
//
// # Limits
//
// Links that do not work are attempts to guess a key: the authenticator delays, counts and
// records them as those.
//
// # Concurrency
//
// A Server may be used by any number of goroutines and has none of its own.
package invite
