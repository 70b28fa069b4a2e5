// Docsite makes a static site of the project's documents: every Markdown file of docs/ and
// those at the top, with a list of pages, for a web server or to be opened as files.
//
//	go run ./cmd/docsite bin/site
//
// Links between documents lead to their pages, links to other files of the repository to
// its host. A link to a page or a heading that does not exist is an error.
package main
