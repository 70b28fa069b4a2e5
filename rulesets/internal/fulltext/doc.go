// Package fulltext ranks documents by the words of a query, with an index in memory.
//
//	index := fulltext.New[string]()
//	index.Put("go_style", fulltext.Document{{Text: "Go style", Weight: 5}, {Text: body, Weight: 1}})
//	hits := index.Search("error handling") // best first
//
// # Words
//
// A word is a run of letters and digits in lower case. Parts of an identifier count
// too: useEffect is found by use, effect and useeffect. Words are reduced to their
// stems by the Snowball algorithm for English, so that handling finds handled; the most
// common words of English are left out. A run of Chinese, Japanese or Korean signs
// counts as its pairs of signs.
//
// # Ranking
//
// The score is BM25 (k1 1.2, b 0.75) over the sum of a word's occurrences, each times
// the weight of its field: the simple form of BM25F. A word of a query that no
// document has stands for the words that begin with it.
//
// # Memory
//
// A word has the ids of its documents as differences, with its weighted count, in two
// to three bytes each; texts are not kept. A document that is replaced or removed
// leaves its entries until they are a quarter of the index, which is rewritten then.
//
// # Concurrency
//
// Methods may be called from any goroutine. Searches run side by side, changes alone.
package fulltext
