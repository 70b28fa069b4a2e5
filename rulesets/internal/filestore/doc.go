// Package filestore stores rulesets as Markdown files in a folder that people can
// read, edit and manage with git. Several processes may share the folder.
//
// # Format
//
// The ruleset python_style_guide is the file python_style_guide.md:
//
//	---
//	name: python_style_guide
//	description: Python coding style guidelines
//	tags: [python, style]
//	created_at: 2025-10-29 10:30:00
//	last_modified: 2025-10-29 10:30:00
//	---
//
//	# Python Style Guide
//
// The front matter is YAML; only its delimiters and a text are required. Without a
// description it is empty, without tags there are none, and times default to those
// of the file. Updates preserve other keys. Times are UTC. Lines that end with CRLF
// are served with LF and written with CRLF again.
//
// A file that is not a valid ruleset (invalid form, a name that does not match, a
// link, too large) is logged once and ignored: it is not listed, and never
// overwritten or deleted.
//
// # Changes
//
// Every change takes a lock on the file .lock, which all processes share. A creation
// writes a hidden file and links it to its name, which fails when the name is taken.
// An update replaces the file by renaming, a deletion removes it. Files and folder
// are synced before a change is acknowledged, and a crash leaves the old file or the
// new one. Reading takes no lock unless it finds a content that is not recorded.
//
// [Store.Apply] makes several changes or none: it prepares hidden files and a journal,
// .batch.undo, then renames the journal to .batch, then the files to their names. A
// process that is killed leaves the journal, and the next process that changes or watches the
// folder undoes the batch or completes it. Readers see the files of a batch one after the
// other, for the time that renaming them takes. A batch that needs a protected folder is
// refused; a file that is protected by itself keeps its content, which becomes a revision after
// those of the batch.
//
// Lists come from memory for files whose inode, size and time of modification
// have not changed.
//
// # Parts
//
// A [Store] reads and writes documents by its parts, each with the state that it alone uses:
//
//	folder      paths, entries and stamps of the files
//	histories   what .history holds: revisions, moves of labels, bytes of files
//	batches     what a journal says, done or undone
//	watched     feeds and index, for watches
//	temps digests origins reports cache   hidden files; SHA-256 of files; commits of git;
//	                                      files that are no rulesets; parsed rulesets
//
// # History
//
// The revisions of NAME are the lines of .history/NAME.jsonl, oldest first, each a
// JSON object with the whole content. A change appends and syncs its revision before
// it replaces the file. A line that a killed process left unfinished is not read,
// and the next one takes its place. A content that others have written is recorded
// when it is read, before it is replaced, or soon after a watch has seen it. The
// moves of its labels are the lines of .history/NAME.labels.jsonl; the file .moves tells
// watches of them and is no record.
//
// A revision lists the files of the ruleset, which are in the folder NAME with hyphens.
// Their bytes are in .history/NAME.files, each in a file that is named by its SHA-256.
//
// # Watching
//
// A watch learns of changes by this process directly and of changes by others
// through file system events. Since mounts may drop events, it also checks the
// folder every two seconds, and the folders with files of rulesets. The folder may
// be created, removed or replaced meanwhile. [Store.Watch] runs one goroutine
// besides its caller's, which reads the events, and waits for its end.
package filestore
