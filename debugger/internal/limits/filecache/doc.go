// Package filecache keeps small facts that took time to find out, from one run of a program to the next.
//
//	cache, err := filecache.Open(folder, 64<<20)
//	cache.Put("digest of "+stamp, digest)
//	value, ok := cache.Get("digest of "+stamp)
//
// Each value is a file of a folder that only its owner may write; another folder is refused. A file that
// is damaged, or has another key, counts as missing. Files are replaced whole, so that several
// programs can use a folder. If the files are larger than the limit, those that were used the longest
// time ago are removed.
package filecache
