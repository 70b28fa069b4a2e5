// Package packet exchanges the packets of the GDB remote serial protocol: text
// between $ and #, followed by a checksum of two hexadecimal digits.
//
//	c := packet.NewConn(rw)
//	p, err := c.Read()          // Packet.Interrupt is the byte 0x03
//	err = c.Write([]byte("OK"))
//
// Sections are numbered as in appendix E of gdb's manual.
//
// # Concurrency
//
// One goroutine calls Read. Write and StopAcks may be called from any.
package packet
