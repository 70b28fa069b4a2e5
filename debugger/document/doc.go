// Package document reads XML documents from untrusted sources: it evaluates XPath
// queries on them, validates them against W3C XML Schemas, and caches parsed
// trees within a memory limit.
//
// A [Library] is opened with a list of root directories. All files that it reads
// lie below them, also through symbolic links; a path that leads outside is a
// [PermissionError], whether it exists or not. A document may also be given
// inline: a text that begins with "<" is XML, everything else is a path.
//
//	lib, err := document.Open(document.Config{Roots: []string{"/srv/data"}})
//	…
//	defer lib.Close()
//	found, err := lib.Query(ctx, document.QueryRequest{
//		Document: "orders.xml",
//		Query:    "//order[@total > 100]/customer",
//	})
//
// A schema of version 1.0 validates a document while it is read, by the packages
// below schema. No tree is made, and the size of a document in UTF-8 is not limited:
//
//	schema/validate    events of a document against a schema, to violations
//	   ├─ automata     content models: which child may come next, and how to go on if none fits
//	   ├─ identity     unique, key and keyref: their paths and tables
//	   └─ compile      documents of a schema to its components, with their constraints
//	        ├─ read       a schema document as nodes, compared with the schema for schemas
//	        └─ component  types, elements, attributes, groups, wildcards
//	schema/datatype    values and facets of simple types
//	   └─ pattern      regular expressions of XML Schema
//	schema/event       the parser of all of these: tags and texts with positions and namespaces
//
// Queries that need no tree are answered from the same events, by package selection.
//
// # Limits
//
// Before parsing, a survey of the decoded text counts the nodes of the tree and
// records the position of every element. It rejects documents with too deep
// nesting, too many attributes, external entities, or a tree that would need more
// memory than a request may use. A tree takes about 230 bytes for an element or a
// text, 400 for an attribute, and the text itself: 15 to 60 times the size of the
// file for data-like documents. 32 MiB of ordinary records take 0.5 GiB, which
// Config.MaxMemory permits.
//
// From a document type declaration, entities and attribute defaults of the
// internal subset are read. External subsets and entities are never fetched:
// nothing in a document makes the package open a file or a connection. A schema
// may include and import others below the roots.
//
// # Concurrency
//
// All methods of a Library may be called concurrently. Trees and compiled schemas
// are shared and not modified.
//
// Every request runs on a worker, a goroutine with a thread of its own, of which
// there is a fixed number. The limit applies to the thread's processor time, so
// that a busy machine slows requests down but does not make them fail. Parsing
// and XPath check the limit themselves, as does validation by a schema of version 1.0.
// Compiling and applying one of version 1.1 cannot be interrupted. When the time of such
// a worker is over, its caller gets a [LimitError] at once, the result is dropped, and
// the slot is free again when the work ends; [Stats.Abandoned] counts it. Close does not
// wait for abandoned work. A server for untrusted callers runs the library in a process of its own:
// see package isolate.
//
// Lock order: the loading lock of a path, then the lock of the cache. The cache's
// lock is never held over I/O or a call into the engine.
package document
