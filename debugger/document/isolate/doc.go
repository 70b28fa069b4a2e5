// Package isolate runs a [document.Library] in a process of its own.
//
// Nothing can stop a goroutine, so inside of one process work that never ends, or
// takes all memory in one step, is at best given up. A process has a limit of
// memory that the kernel enforces, and can be killed at any time. A [Remote] is the
// library with the same four methods. Whatever happens to the process, its requests
// get an error and the next one gets a new process. A process in which work was given
// up hands its cache over: the new one loads the same documents and schemas. The
// cache of a process that died is lost, and counted in the statistics.
//
//	remote := isolate.New([]string{self, "document-worker"}, config, 2<<30, log)
//	defer remote.Close()
//	found, err := remote.Query(ctx, document.QueryRequest{…})
//
// The command must call [Serve] with its standard input and output, and write
// nothing else there.
//
// # Wire format
//
// One JSON object a line. The first line to the process is its configuration.
// Then each request has an id, a method and its argument, and gets one answer
// with its id, before which progress may come. The method cancel ends the request
// with its id. Errors travel as the name of their type and its fields.
//
// # Concurrency
//
// All methods may be called by many goroutines. A process in which work was given
// up, or that does not answer before its deadline, gets no new requests. It is killed
// when its other requests are answered and its cache is handed over.
// The goroutine that reads a process's answers ends with the process, which Close
// waits for.
package isolate
