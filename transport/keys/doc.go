// Package keys makes, stores and finds the bearer keys that callers of the HTTPS
// server show.
//
// A [Token] is the secret, such as kdb_live_…; its holder is its owner. It
// is shown once, when it is made. A [Record] is stored: it has a hash of the
// token and what its owner may do. A [Ring] finds the record of a token on each
// request, a [Store] manages records; both are two views of one
// thing, either a file ([FileStore]) or hashes on a server that several
// processes share ([ValkeyStore]).
//
//	store, err := keys.OpenFile(filepath.Join(data, "keys"), log, time.Now)
//	...
//	record, token, err := store.Create(ctx, keys.Live, keys.Settings{Plan: quota.Free})
//
// and on a request:
//
//	token, err := keys.ParseToken(text)      // refuses typing errors
//	record, err := store.Find(ctx, token)    // ErrUnknown
//	err = record.Check(time.Now(), address)  // ErrRevoked, ErrExpired, *AddressError
//
// # What is stored
//
// Of a token only the SHA-256 is stored, and its beginning to tell keys apart: a reader of
// the store can use no key. A file has the form
//
//	{
//	  "version": 1,
//	  "keys": [
//	    {
//	      "id": "key_4f7c2m9xq0", "kind": "live", "hint": "kdb_live_Ab3d…", "hash": "9f86…",
//	      "scopes": ["aoc:read"], "plan": "free", "created": "2026-01-02T03:04:05Z"
//	    }
//	  ]
//	}
//
// In Valkey each record is a field of one hash, with indexes beside it for tokens and for
// lists by age (ringNames in valkey.go). Every change writes another text into the hash's
// field version, by which processes find out cheaply that something has changed.
//
// # Reading order
//
//	token.go record.go settings.go       what a key is
//	grant.go                             clients that use a key
//	store.go                             Ring and Store; rules of every change
//	ring.go cache.go                     all records in memory, loaded again when they are old
//	file.go fileform.go filechange.go    keys in a file
//	valkey.go recordcache.go             keys on a server; records in memory one by one
//	valkeychange.go valkeydurable.go     changes there, and what a server may lose
//	valkeyindex.go                       look-ups, and making the indexes anew
//	filewatch.go valkeywatch.go          hearing of changes by other processes
//
// # Grants
//
// A [Grant] lets a client use a key without knowing it. The grants of a key are a part of its
// record, so they are found, cached and announced as its token is, and a change of the key ends
// them everywhere at once. They have the hashes of two kinds of tokens: those that open the
// record for an hour, and the part that all codes and refresh tokens of the grant begin with,
// by which an old one is recognized. Package oauth has the rules of what follows what.
//
// # Errors
//
// A ring tells three things apart that a server answers differently: a text that is no token
// ([ErrMalformed]) or a token that no key has ([ErrUnknown]), a key that may not be used
// ([ErrRevoked], [ErrExpired], [AddressError]), and a store that cannot be read
// ([ErrUnavailable]), which says nothing about the key. No error has a token in it.
//
// # Revocation
//
// A ring answers from memory. While [Store.Watch] runs, a change made by any
// process is there within milliseconds. Without it, or when a notice is lost, a
// look-up itself asks whether something changed when the answer is older than
// [MaxAge]; a look-up of a token that is not known always asks. So a revoked key
// authenticates no client after MaxAge, come what may: when the store cannot be read, no key
// does.
//
// A store of several servers can lose its newest writes in a failover. A process that has
// seen a key revoked refuses it nevertheless, and revokes it in the store again. A
// [Confirmation] says whether a change could still be lost.
//
// # Concurrency
//
// All methods may be called from any goroutine. The only goroutine of a store is
// Watch's caller. Several processes may open one store.
package keys
