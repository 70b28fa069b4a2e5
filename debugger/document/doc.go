// Package document reads XML documents of unknown origin: it asks them
// XPath questions, checks them against W3C XML Schemas, and keeps the parsed
// trees in a cache of bounded size.
//
// A [Library] is opened on a list of root directories. Everything it reads lies
// below them, symbolic links included; an address that leads out is a
// [PermissionError], whatever is there. A document may also be given inline: a
// text whose first character is "<" is XML, all else is a path.
//
//	lib, err := document.Open(document.Config{Roots: []string{"/srv/data"}})
//	…
//	defer lib.Close()
//	found, err := lib.Query(ctx, document.QueryRequest{
//		Document: "orders.xml",
//		Query:    "//order[@total > 100]/customer",
//	})
//
// # What a document may cost
//
// Before a byte is parsed, a survey of the decoded text counts what the tree
// will hold and writes down where every element begins. It refuses too deep
// nesting, floods of attributes, entities that live outside of the document, and
// trees that would need more memory than a request may have. A tree takes about
// 230 bytes for an element and for a text, 400 for an attribute, and the text
// itself: 15 to 60 times the file for data-like documents. 32 MiB of ordinary
// records come to 0.5 GiB, which Config.MaxMemory has room for.
//
// A document type declaration is read for the entities and attribute defaults it
// holds itself. What it only names, an external subset or entity, is never
// fetched from anywhere: nothing in a document makes the package open a file or
// a connection. A schema may include and import others below the roots.
//
// # Concurrency
//
// All methods of a Library may be called by many goroutines at once. Trees and
// compiled schemas are shared and only read.
//
// Every request runs on a worker, a goroutine with a thread of its own, of which
// there is a fixed number. The thread's processor time is limited, so that a busy
// machine makes requests slower and fails none. Parsing and XPath notice the limit by
// themselves. Compiling and applying a schema cannot be interrupted; such a worker is
// given up when its time is over: the caller gets a [LimitError] at once, the result
// will be thrown away, the place stays taken until the work ends, and
// [Stats.Abandoned] counts it. Close does not wait for those. A server for people
// it does not trust runs the library in a process of its own: see package isolate.
//
// Locks: a path's loading lock is taken before the cache's. The cache's is never
// held over I/O or a call into the engine.
package document
