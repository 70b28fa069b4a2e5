// Package redact masks secrets in the memory and the output of a program, before they are
// shown.
//
// A value that is shown may be a part of a secret: a string that was cut, a pointer into
// the middle of a key, a row of a dump. So a [Masker] searches the pages around what was
// read, and overwrites those bytes of a secret that are in it. Whatever reads memory
// through [Masker.Mask] then shows the same mask: strings, arrays of characters and of
// numbers, containers, bytes in hexadecimal.
//
// Addresses keep their meaning, and a mask has the length of the secret. Only what looks
// like text is changed, and only what is shown: conditions, unwinding and recordings see
// the memory as it is.
//
// A secret that was found is remembered by a [Known], so that parts of it are masked where
// the whole is not: in registers, in copies that are half done, in what is left of it.
//
// [Output] does the same for the output of a program, of which a client may ask for any
// part.
//
// # Concurrency
//
// A Masker belongs to one goroutine at a time. It is valid while the process is stopped
// at one position.
package redact
