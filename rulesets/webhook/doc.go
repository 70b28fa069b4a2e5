// Package webhook tells a URL of changes of rulesets.
//
//	hook := webhook.Hook{URL: url, Secret: secret, Record: webhook.OpenFile(name), Store: store, Logger: logger}
//	err := hook.Run(ctx) // until ctx is done
//
// Each message is a POST of JSON with the name of a ruleset and its revision, and no
// content. Its header Triptych-Signature is "sha256=" and the HMAC-SHA-256 of the body,
// in hexadecimal, with the secret as the key; Triptych-Delivery is the same for each
// attempt of one message.
//
// # Delivery
//
// A message is sent again, after 1 to 60 seconds, until it is answered with a status of
// 2xx. A [Record] holds what was delivered: a revision that is not in it is sent, also
// when the program ended before it could be, so that each state of a ruleset arrives at
// least once. Revisions that follow each other while the URL does not answer are one
// message, of the newest. The first run takes the rulesets that are there as known.
//
// # Several servers
//
// Processes that share a record send each message once: one of them leads. A [File] is
// locked by it. On a [Valkey] server it has a lease, which it renews; where it is killed,
// another process leads 15 seconds later and sends what is not recorded. A process that
// has lost its lease records nothing any more, since each write checks the lease. A
// message may arrive twice when the lead changes: accepted just before, and not recorded.
//
// # Concurrency
//
// A Hook and its Record belong to the goroutine that calls Run.
package webhook
