// Package audit is the signed trail of who asked for what: records that are on
// disk before their answer goes out, and that nobody can change unnoticed.
//
//	trail := audit.New(audit.Config{Dir: filepath.Join(data, "audit")})
//	defer trail.Close()
//	seq, err := trail.Append(audit.Record{Key: "local", Method: "tools/call", Outcome: audit.OK})
//	err = trail.Commit(ctx, seq) // then the answer may go
//
//	for r, err := range audit.Query(ctx, dir, audit.Filter{Session: id}) { … }
//	report, err := audit.Verify(ctx, dir)
//
// [New] touches nothing: a process that records nothing leaves nothing behind.
// Append is cheap and only orders records; Commit is shared by all who wait.
// After a failed write, such as on a full disk, the records stay in memory, all
// who wait are told, and the next Commit tries again.
//
// # Format
//
// Many processes share a trail without waiting for one another: each adds to a
// chain of its own and holds a lock on it; the next process goes on with a
// chain whose lock is free. A chain is lines of JSON with fixed bytes, in files
// CHAIN/000001.jsonl and so on, or entries of a stream. Each line begins with
// the SHA-256 of the line before it. A line is a record, or one of these notes:
//
//   - file begins each file; that of file 1 begins the chain, after a hash of
//     zeros. It names the format, the chain and the public key.
//   - seal ends each group of lines that were written together. It has an
//     Ed25519 signature of the hash before it, and so of the whole chain. The
//     last seal is also in the file head.
//   - retired says that the first files were deleted by policy.
//   - repaired says that a crash left lines without a seal, which were cut off.
//
// The key pair is in signing.key and signing.pub, made with the first record.
//
// # What is found
//
// [Verify] finds any change, removal, addition or reordering of sealed lines,
// and the removal of the end of a chain as long as its head is there. It tells
// tampering from a crash: lines after the last seal, or of one group behind the
// head, were never promised to anybody. It cannot find that somebody put back the
// end and the head of a chain as they once were, or removed a whole chain, and
// whoever has the signing key can write what they want. Against these, keep a copy of
// signing.pub and of what Verify reports elsewhere: hash and number of the last
// record must be in the chain from then on.
//
// # Concurrency
//
// A [Log] has no goroutine of its own: whoever calls Commit writes for all who
// wait. Its turn comes before its mutex, and no mutex is held while it writes.
package audit
