// Package brief has contexts for requests that are mostly over before anybody
// wants to be told of that.
//
//	var request struct { // in one piece of memory
//		ctx brief.Context
//		…
//	}
//	request.ctx.Begin(parent)
//	defer request.ctx.End(nil)
//
// What package context makes for each of its contexts, and for each of those that
// can be cancelled in its parent, is made here when somebody asks for the channel
// or for a value, as package context does for contexts that are derived.
//
// # Concurrency
//
// A Context may be used by many goroutines once it has begun. It must not be
// copied.
package brief
