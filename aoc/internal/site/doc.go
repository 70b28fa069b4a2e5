// Package site is a client of adventofcode.com, or of a site with the same pages.
//
// A [Client] downloads puzzles, inputs, calendars and private leaderboards and
// submits answers. It returns parsed values: puzzle texts as Markdown, examples,
// the accepted answers on a page, and the [Verdict] on a submitted answer.
//
// # Etiquette
//
// The site's author asks programs to be gentle
// (https://www.reddit.com/r/adventofcode/wiki/faqs/automation). So every request
//
//   - names this project and its page in User-Agent;
//   - passes a [Throttle] that all processes of a user on this machine share;
//   - is not sent before the puzzle unlocks at midnight in New York, by the local
//     clock.
//
// The package caches nothing. Its caller must keep what it downloads, and must ask
// for a leaderboard at most every [LeaderboardInterval].
//
// # Errors
//
// Requests fail with [ErrNoSession] and [ErrSessionRejected] if there is no valid
// session cookie, with a [LockedError] before the unlock, with [ErrNotFound] for
// pages that do not exist, and with a [BusyError] if the site is overloaded or asks
// for fewer requests. No error, and no log line, contains the cookie.
//
// # Concurrency
//
// A Client may be used by several goroutines.
package site
