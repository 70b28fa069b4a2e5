// Package personal keeps what belongs to one user of adventofcode.com: the session
// cookie, downloaded puzzles and inputs, guesses with their verdicts, and stars.
//
// The site asks that puzzle texts and inputs are not published, and inputs differ by
// user. So a [Folder] belongs to one user or key, is readable by its owner only, and
// has a .gitignore that covers everything in it.
//
// # Files
//
//	session                      the cookie, if it is not in one of the usual places
//	YEAR/dayXX/part1.md          the puzzle; part2.md once part one is solved
//	YEAR/dayXX/example1.txt      the blocks of preformatted text, in order
//	YEAR/dayXX/input.txt         the input
//	YEAR/dayXX/puzzle.json       title, answers, and the answers to the examples
//	YEAR/dayXX/clock.json        when each part was read, and when it was solved
//	YEAR/guesses/dayXX.json      every submitted answer and the site's verdict
//	YEAR/stars.json              stars by day
//	YEAR/leaderboard-ID.json     a private leaderboard
//
// # Requests
//
// Every resource is downloaded once and kept forever. The page of a puzzle is
// downloaded once more after part one was solved. Stars and leaderboards are
// downloaded at most every 15 minutes. Several processes may use a Folder: a lock on
// each day makes them share one download.
//
// # Concurrency
//
// A Folder may be used by several goroutines and processes.
package personal
