// Package attack builds the program, starts it as a server on a port of its own
// and does to it what strangers and broken clients do: keys that are wrong,
// forged names, bodies without end, half-closed sockets, requests smuggled in
// others, thousands of idle connections, and kill -9.
//
// Every attack has its right answer. When a siege is over, the server must be
// what it was before: as many goroutines and open files, as much memory, and an
// honest request answered.
//
// A good client with a key of its own asks all the while, and none of its calls may fail.
// TestExhaustion, TestRoutes and TestStrangers do it to a server with 512 MiB of memory and a
// disk of 200 MiB. They make fewer connections than it takes to fill a large server,
// unless TRIPTYCH_TEST_ATTACK=full.
//
// All is in its tests. They take two minutes, a good part of it the time that slow
// clients are given.
package attack
