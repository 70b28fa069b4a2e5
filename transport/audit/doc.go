// Package audit records who asked for what in a tamper-evident trail: a hash chain
// with signed heads, in which every change is found.
//
//	trail := audit.New(audit.Config{Dir: filepath.Join(data, "audit")})
//	defer trail.Close()
//	seq, err := trail.Append(audit.Record{Key: "local", Method: "tools/call", Outcome: audit.OK})
//	err = trail.Commit(ctx, seq) // after that the answer may be sent
//
//	for r, err := range audit.Query(ctx, dir, audit.Filter{Session: id}) { … }
//	report, err := audit.Verify(ctx, dir)
//
// [New] touches nothing: a process that records nothing leaves nothing behind.
//
// # Two classes of records
//
// [Log.Append] is cheap and only puts a record in order. Two methods say when the
// record is stored:
//
//   - [Log.Write] returns when the record survives the end of the process, such as
//     kill -9: it was passed to write(2). A timer syncs it within a second.
//   - [Log.Commit] returns when the record, and so every record before it, survives
//     a power cut: it was passed to fdatasync(2).
//
// One write and one sync serve all callers that wait. The head is signed at most
// once a second, when a file or the log ends, and before [Log.Verify] reads; with
// [Config.Always] every record is committed and every sync signs.
//
// After a failed write, such as on a full disk, the records stay in memory, the
// callers get the error, and the next call tries again. After a failed sync the
// lines that were not synced are written again into a new file, because Linux takes
// the pages of the old one for clean. The same happens when a sync finds that the
// file was deleted or replaced.
//
// # Reading order
//
//	record.go line.go chain.go            the format: records, notes, hashes, signed heads
//	log.go batch.go sync.go deferred.go   adding records: numbers, writes, syncs, the timer
//	backend.go                            the interfaces to where chains are stored
//	files.go filewriter.go rewrite.go     chains in a folder, and what a failed sync does
//	read.go chaindir.go                   reading them
//	resume.go lasthead.go                 where a chain goes on after a process has ended
//	verify.go verifier.go checkpoint.go   verifying
//	query.go export.go copy.go            finding records, passing them on, moving chains
//	signer.go rotation.go                 keys and what they are trusted with
//	rotate.go rotatechains.go             replacing the key
//	valkey.go stream.go                   chains in a store; streamquery.go and streamindex.go
//	                                      find records there, streamresume.go, streamloss.go,
//	                                      streamkeep.go, streamended.go and streamdrop.go are
//	                                      about what was lost or is no longer kept
//
// # Errors
//
// No answer may leave before its record is stored as its class asks, so an error of
// Append, Write or Commit takes the place of the answer. It says that the record may be
// missing after a crash, not that it is: the log goes on trying. What is wrong with a
// trail is no error of the reader but a [BreakError] in what it returns.
//
// # Format
//
// Many processes share a trail without waiting for one another: each adds to a
// chain of its own and holds a lock on it; the next process goes on with a chain
// whose lock is free. In a store there are no locks: a server has the chain of its
// name. A chain is lines of JSON with fixed bytes, in files
// CHAIN/000001.jsonl and so on, or entries of a stream. Each line begins with
// the SHA-256 of the line before it, without its newline. The beginning of a chain, with
// the hashes, keys and signatures cut:
//
//	{"prev":"0000…","file":{"version":1,"chain":"4f7c…","number":1,"after":0,"public_key":"9a1b…","time":"2026-01-02T03:04:05.000000Z"}}
//	{"prev":"51d0…","seal":{"seq":0,"time":"2026-01-02T03:04:05.000000Z","sig":"c07e…"}}
//	{"prev":"e2a9…","seq":1,"time":"2026-01-02T03:04:06.120000Z","key":"local","method":"tools/call","target":"attach","outcome":"ok","us":5210}
//
// A line is a record, or one of these notes:
//
//   - file begins each file; that of file 1 begins the chain, after a hash of
//     zeros. It names the format, the chain and the public key. Where a sync has
//     failed it says how many bytes of the file before it count.
//   - seal is a signed head: an Ed25519 signature of the hash before it, and so of
//     the whole chain. The last one that is synced is also in the file head.
//   - recovered says that the process before did not close the chain: how many of
//     its last records are not signed, and how many bytes behind them were cut off.
//   - chains names the other chains of the trail.
//   - lost says that the store had lost lines, and moved, the second line of a chain,
//     that another process adds to the chain in which its first records are. Both are
//     in streams only.
//   - retired says that the first files were deleted by policy.
//   - rotated says that another key signs from here on, with a signature of the key so far.
//
// The key pair is in signing.key and signing.pub, made with the first record. [Rotate] replaces
// it; rotations.json then has the signatures of the old keys, which a log adds to its chain
// before the first head of the new key. [Verify] trusts a chain in which a trusted key has
// signed a head or the next key, and trusts that key for all chains. When the old key is
// compromised, rotations.json also has the heads with which chains ended then, attested by the new
// key: these count like its own.
//
// # Tampering that is found
//
// [Verify] finds any change, removal, addition or reordering of signed lines, the
// removal of the end of a chain as long as its head is there, and the removal of a
// chain that another one names. It reports from which record on nothing is signed
// yet; there it finds what breaks the hashes. It tells tampering from a crash: a
// crash leaves lines that are not whole behind the last signed head alone. It
// cannot find that the end and the head of a chain were put back as they once
// were, and a holder of the signing key can write what they want. Against these,
// store a copy of signing.pub and of what Verify reports elsewhere: hash and number
// of the last record must be in the chain from then on.
//
// # Concurrency
//
// A [Log] has no goroutine but a timer while something waits for its sync or its
// signature: a caller of Write or Commit does the work for all that wait. The
// order of locks is syncing, writing, mu; no mutex is held during I/O, and lines
// can be written while others are synced. Close waits for the timer.
package audit
