// Package valkeystore keeps rulesets in Valkey or Redis, in the documented
// form, so that any number of servers of this or another kind can share them.
//
// # Keys
//
// The ruleset NAME is the hash ruleset:NAME with the fields description, tags (a
// JSON array), markdown, created_at and last_modified (RFC 3339), and extra where
// the ruleset has front matter keys that are not ours. Keys of our own begin with
// rulesets:, behind the prefix of the installation if there is one, and are only a help:
//
//   - rulesets:index, a sorted set of the names by creation time (Unix
//     seconds), so that a page of a list costs the same however many there are;
//   - rulesets:names:{rulesets:index}, a sorted set of the names in their order, for
//     completion;
//   - rulesets:index:ready, which says that the index was complete once;
//   - rulesets:events, a channel that tells of changes;
//   - rulesets:history:{ruleset:NAME}, a list of the revisions as JSON, oldest
//     first, in the hash slot of the ruleset. A change and its revision are one
//     script; what another program has changed is recorded first;
//   - rulesets:labels:{ruleset:NAME}, a list of the moves of its labels;
//   - rulesets:files:{ruleset:NAME}, a hash of the bytes of the files of its revisions,
//     by their SHA-256; each revision lists its files with their paths.
//
// A hash written by another program has no entry in the index at first. It can
// be read, updated and deleted at once, and reading it enters it. Otherwise a
// scan for ruleset:* finds it: before the first list that any process asks of a
// database; then, if that has at most 200,000 keys, before a list when the
// process's last scan is 30 s ago; and every minute while a process watches,
// resting between its commands, by one of the processes that share the database (the
// key rulesets:scan is its lease). So a large database that is shared with other
// applications is scanned for a list once. Entries whose hash has gone are
// dropped and those with another time are moved when they are met. Keys that are
// no rulesets are left alone.
//
// Creation, update and deletion are one script each, so they are atomic on the
// server; a batch ([Store.Apply]) is one transaction over watched keys. On a cluster the index follows as a second step that a scan repairs.
//
// A watch hears our own writers through the channel, and those of other programs
// where the server sends keyspace events (notify-keyspace-events Kghx); without
// them their updates and deletions are not announced, only seen when read.
//
// # Parts
//
// A [Store] runs the scripts and transactions. Its keys are spelled in keys.go; index.go
// keeps the two sorted sets, and decode.go reads hashes, histories and replies.
//
// # Errors
//
// Every operation ends in bounded time, and no change is made twice: one whose answer is
// lost is sent again with the token that its revision has, and finds that revision. While
// the server is away operations return [ruleset.UnavailableError]; when it is back
// the next one works.
package valkeystore
