// Package markdown renders Markdown that others have written as HTML, within bounds.
//
// A parser of Markdown takes time and memory that grow with the square of a hostile text: rows
// of a table are filled up to its columns, and brackets are looked for again and again. Nothing
// can stop it inside of one process. So a [Renderer] runs the program again for each text, as a
// worker with limits of memory and processor time, and kills it when the time is over or the
// reader of the page has disconnected. Texts that are too large are not given to a worker.
//
//	command, _ := markdown.Self()
//	r := markdown.New(command)
//	html, err := r.Render(ctx, text) // *[TooLargeError]: show the text as it is
//
// The program's main calls [WorkerMain] if its first argument is [WorkerCommand].
//
// # Concurrency
//
// A Renderer may be used by many goroutines; a few workers run at a time.
package markdown
