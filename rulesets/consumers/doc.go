// Package consumers records which revisions of rulesets projects and clients have, so
// that a server can say who is behind.
//
//	book := consumers.OpenFile(filepath.Join(data, "consumers.json"), time.Now)
//	err := book.Report(ctx, consumers.Report{Project: "shop", Client: "cursor", Key: id, Rulesets: map[ruleset.Name]int{"go_style": 5}})
//	all, err := book.All(ctx)
//	standings, err := consumers.Standings(ctx, newest, all)
//
// A report has names and numbers only: a project is a name that its people chose, or a
// hash; no paths and no contents. A book is a [File] that processes of one machine may
// share, or a [Valkey] that all servers of a store share. The number of consumers and
// their bytes are bounded: the one with the oldest report is removed first.
//
// A consumer that reads revisions at a label is compared with the revision at that
// label, not with the newest.
package consumers
