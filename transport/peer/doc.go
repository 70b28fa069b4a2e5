// Package peer passes HTTP requests from one server to another that shares its store:
// what a request needs may be in the memory of that server alone, such as the process
// that a debugger has stopped or the rest of an event stream.
//
//	key := peer.NewKey(secret)
//	passer := peer.NewClient(peer.Config{Key: key, Self: tag, Servers: directory})
//	handler := peer.Accept(key, tag, endpoint) // of the server that requests are passed to
//
// # Trust
//
// A request that is passed on has the header [Header]: the tag of the server that it is
// for, the address of the client, a time, a number that is used once and the hash of the
// body, authenticated with a key that the servers share (HMAC-SHA256). [Accept] refuses
// a header that is not authentic, older than a minute or used before. The credentials of
// the client are passed on too, and checked again. Over TLS, the other server is
// authenticated by the certificate that it has registered with its address; over plain
// HTTP, the network between the servers must be trusted.
//
// # Bounds
//
// A request is passed on once: a server answers what was passed to it or refuses it. A
// connection has to be there within two seconds, and the answer within
// [Config.AnswerTime]. A server that does not show in the [Directory] that it runs gets
// no longer time than [silence].
//
// # Concurrency
//
// All may be used from any goroutine. A call of [Client.Pass] has one goroutine beside
// it, which ends with the call.
package peer
