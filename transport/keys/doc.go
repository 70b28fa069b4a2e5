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
