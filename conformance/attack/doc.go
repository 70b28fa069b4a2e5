// Package attack builds the program, starts it as a server on a port of its own
// and does to it what strangers and broken clients do: keys that are wrong,
// forged names, bodies without end, half-closed sockets, requests smuggled in
// others, thousands of idle connections, and kill -9.
//
// Every attack has its right answer. When a siege is over, the server must be
// what it was before: as many goroutines and open files, as much memory, and an
// honest request answered.
//
// All is in its tests. They take half a minute, a third of it the time that slow
// clients are given.
package attack
