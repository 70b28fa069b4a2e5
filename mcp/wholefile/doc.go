// Package wholefile replaces files: whoever reads one, or comes after a crash,
// finds the old text or the new one and never a part of either.
//
//	err := wholefile.Write("keys.json", text, 0o600)
//
// The new text is written beside the file, put on disk and renamed; when Write
// returns, the new name is on disk as well. That needs a file system that renames
// in one step, as those of Unix and NTFS do.
//
// # Concurrency
//
// Functions may be called from any goroutine. Of two that replace one file at the
// same time, the last one wins; locks are the callers' business.
package wholefile
