// Package jsonrpc is JSON-RPC 2.0 over lines: one message a line, in both
// directions, over any stream of bytes.
//
// A [Handler] answers requests by appending JSON to a buffer. A [Conn] reads
// lines, runs the handler and writes the answers; it is also the [Sender] by
// which a handler sends notifications and requests to the other side. A
// [Client] is the other side.
//
//	conn := jsonrpc.NewConn(os.Stdin, os.Stdout, jsonrpc.Config{})
//	err := conn.Serve(ctx, jsonrpc.HandlerFunc(
//		func(ctx context.Context, req *jsonrpc.Request, dst []byte) ([]byte, error) {
//			return jsonrpc.AppendString(dst, "hello"), nil
//		}))
//
// A [MethodMap] is a Handler for several methods; [Method] makes its entries from
// functions with typed parameters and results.
//
// # Bytes
//
// A message is checked once, in one pass that finds the members of the
// envelope and leaves the payload where it is ([Valid], [Members]). Ids go back
// as they came, byte for byte. Where the specification is silent:
//
//   - Members of the envelope that are there twice make a message invalid, in
//     whatever spelling; other members are the handler's business.
//   - An id that is a fraction is taken; null is refused in a request.
//   - A line over the limit is answered -32600 without an id, and the next line
//     is read as if nothing had been.
//   - A message with a method and no id is a notification even where a request
//     was meant; it is never answered, not even with an error. A message that is
//     no valid request is answered although it has no id, as in the
//     specification's examples.
//
// # Concurrency
//
// A goroutine for each request would cost more than the rest of the engine, so
// the reading goroutine runs handlers and writes itself. A monitor notices when
// one takes longer than a tick (0.5 ms) and gives the reading role to a new
// goroutine:
//
//	Serve
//	├─ read            lines → take → run → Handler.Handle
//	│    │             (loses the reading role if that takes longer than a tick,
//	│    │             and then ends in work)
//	│    └─ flush      before it blocks, and when enough has gathered
//	│                  (loses the reading role likewise, and then ends)
//	├─ monitor         each tick: handOff → a new read
//	└─ work            answer of a long request, then what waited behind it
//
// Requests of one sequence ([Sequencer]) run in arrival order; what has to wait takes a
// copy of its message along. Notifications overtake everything ([Preempter]).
// Running handlers, waiting messages and outgoing bytes are bounded: at the
// bound the reader stops reading, and with it the other side.
//
// Answers that are ready together leave in one write, and nothing waits while
// the line is idle: the reader flushes before it blocks, a long request when it
// is done.
//
// Input that ends is the regular end: [Conn.Call] gives [ErrClosed], handlers
// finish, answers are written, Serve returns; [Conn.InputClosed] tells handlers that
// would wait for long whether the other side still listens. A context that is done gives
// handlers [Config].Drain, in which answers and cancellations are still heard,
// then cancels them. Serve leaves no goroutine behind except a handler that
// ignores its context for another Drain, and a read or write that hangs on a
// stream without deadlines; that one takes no more than it has begun with.
//
// A whole text from elsewhere, such as an HTTP body, goes through [Decode] and
// [Body.Answer], which start no goroutine.
//
// Locks, none of which is held while another is taken except in this order:
// scheduler.mu, then requestContext.mu; outbox.mu, batch.mu and calls.mu stand
// alone, but a batch writes while it is locked.
//
// # Files
//
// A reader begins with message.go (what a handler sees) and conn.go (what a program
// calls). The way of a line is read.go, frame.go, decode.go with scan.go, scheduler.go,
// answer.go, outbox.go; monitor.go takes the reading role from long handlers, batch.go
// gathers answers of arrays, call.go is the other direction. scan.go, walk.go and text.go
// are a JSON scanner that knows nothing of JSON-RPC.
//
// # Errors
//
// A handler's [*Error] reaches the other side as it is, any other error as -32603 without
// its text, which is logged ([ErrorOf]). [Conn.Serve] returns errors of the streams. What
// one message has wrong never ends the connection.
package jsonrpc
