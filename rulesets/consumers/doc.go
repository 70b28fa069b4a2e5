// Package consumers records which revisions of rulesets projects and clients have, so
// that a server can say who is behind.
//
//	book := consumers.Open(filepath.Join(data, "consumers.json"), time.Now)
//	err := book.Report(consumers.Report{Project: "shop", Client: "cursor", Key: id, Rulesets: map[ruleset.Name]int{"go_style": 5}})
//	all, err := book.All()
//
// A report has names and numbers only: a project is a name that its people chose, or a
// hash; no paths and no contents. Several processes may share the file. The number of
// consumers is bounded: the one that was not heard of for the longest time goes first.
package consumers
