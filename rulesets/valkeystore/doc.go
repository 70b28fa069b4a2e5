// Package valkeystore keeps rulesets in Valkey or Redis, in the documented
// form, so that any number of servers of this or another kind can share them.
//
// # Keys
//
// The ruleset NAME is the hash ruleset:NAME with the fields description, tags (a
// JSON array), markdown, created_at and last_modified (RFC 3339). Keys of our
// own begin with rulesets: and are only a help:
//
//   - rulesets:index, a sorted set of the names by creation time (Unix
//     seconds), so that a page of a list costs the same however many there are;
//   - rulesets:events, a channel that tells of changes.
//
// A hash written by another program has no entry in the index at first. It can
// be read, updated and deleted at once; to be listed it must be found, which a
// scan for ruleset:* does: before the first list of a process, then before a
// list when the last scan is a while ago, if the database is small enough; and
// now and then while a process watches. Entries whose hash has gone are dropped
// when they are met. Keys that are no rulesets are left alone.
//
// Creation, update and deletion are one script each, so they are atomic on the
// server. On a cluster the index follows as a second step that a scan repairs.
//
// # Errors
//
// Every operation ends in bounded time. While the server is away they return
// [ruleset.UnavailableError]; when it is back the next one works.
package valkeystore
