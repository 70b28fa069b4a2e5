// Package atomicfile replaces files so that readers find the old content or the new
// one and never a part of either, also after a crash, and syncs files and folders. It
// imports none of ours, so that every package may import it.
//
//	err := atomicfile.Write("keys.json", data, 0o600)
//
// Write creates a temporary file beside the file, syncs it, renames it and syncs the
// folder: when Write returns nil, content and name are on disk. That needs a file
// system that renames in one step, as those of Unix and NTFS do.
//
// # Concurrency
//
// Functions may be called from any goroutine. Of two concurrent replacements of one
// file the last wins; callers that must not lose either take a lock.
package atomicfile
