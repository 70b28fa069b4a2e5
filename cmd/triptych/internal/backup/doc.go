// Package backup copies the data of a server into one file, from there into an empty data
// folder or store, and from one store to another.
//
//	manifest, err := backup.Write(ctx, file, source)
//	manifest, err := backup.Read(file)               // checks every hash
//	err = backup.Restore(ctx, file, target, now)     // and compares what is there then
//
// # Format
//
// A backup is a tar archive, compressed with gzip. Its form does not depend on the store:
//
//	rulesets/NAME.json    a ruleset with all revisions and moves of its labels
//	skills/NAME/SHA256    the bytes of a file that a ruleset has or had, before the ruleset
//	keys.json             records of keys: hashes, no secrets
//	counts.json           requests by key and month
//	audit/CHAIN.jsonl     the lines of a chain, as they were signed
//	audit/CHAIN.head      its last signed head
//	data/PATH             files of the data folder that no store has
//	manifest.json         last: the format, and size and SHA-256 of each entry before
//
// # Consistency
//
// Servers may run meanwhile. Each ruleset, each key, each count and each file is read as
// it is at one time; a ruleset that changes while it is read is read again. The trail has
// all records from before the backup began.
//
// # Concurrency
//
// Functions may be called from any goroutine. They start none.
package backup
