package packet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Bytes outside of packets (section E.1).
const (
	ack       = '+'
	nack      = '-'
	interrupt = 0x03
)

// ErrProtocol is returned for a client that does not begin as the protocol does.
var ErrProtocol = errors.New("the client does not speak the remote protocol of gdb")

// A Packet is a packet or an interrupt of a client.
type Packet struct {
	Data      []byte // without framing and escapes
	Interrupt bool   // a request to stop the process; Data is empty
}

// A Conn exchanges packets with a client.
type Conn struct {
	r     *bufio.Reader
	begun bool // the first byte was one of the protocol

	mu    sync.Mutex
	w     io.Writer
	noAck bool
	last  []byte // the last frame written, to repeat it on request
}

// NewConn returns a Conn with acknowledgments enabled, as the protocol requires.
func NewConn(rw io.ReadWriter) *Conn {
	return &Conn{r: bufio.NewReader(rw), w: rw}
}

// Read returns the next packet. It acknowledges packets, requests damaged packets
// again, and repeats the last frame when the client asks for it. It ignores bytes
// between packets (section E.1), but the first byte of a client must be one of the
// protocol, or Read returns [ErrProtocol]. A web page can make a browser send a request
// of HTTP to any port of the machine, with packets in its body.
func (c *Conn) Read() (Packet, error) {
	for {
		b, err := c.r.ReadByte()
		if err != nil {
			return Packet{}, err
		}
		if !c.begun && b != ack && b != nack && b != '$' && b != interrupt {
			return Packet{}, errors.Join(ErrProtocol, c.r.UnreadByte()) // again each time
		}
		c.begun = true
		switch b {
		case interrupt:
			return Packet{Interrupt: true}, nil
		case nack:
			err = c.resend()
		case '$':
			var data []byte
			var whole bool
			if data, whole, err = c.frame(); err == nil && whole {
				return Packet{Data: data}, nil
			}
		}
		if err != nil {
			return Packet{}, err
		}
	}
}

// frame reads a packet after its $ and acknowledges it. whole reports whether it
// was undamaged. Without acknowledgments a damaged packet is an error.
func (c *Conn) frame() (data []byte, whole bool, err error) {
	raw, err := c.body()
	if err != nil {
		return nil, false, err
	}
	var digits [2]byte
	if _, err := io.ReadFull(c.r, digits[:]); err != nil {
		return nil, false, err
	}
	data, err = decode(raw)
	if errors.Is(err, ErrTooLong) {
		return nil, false, err
	}
	whole = err == nil && string(digits[:]) == fmt.Sprintf("%02x", checksum(raw))
	return data, whole, c.acknowledge(whole)
}

// body reads up to the #. A $ starts the packet again: the client has abandoned
// the one before.
func (c *Conn) body() ([]byte, error) {
	var raw []byte
	for {
		b, err := c.r.ReadByte()
		switch {
		case err != nil:
			return nil, err
		case b == '#':
			return raw, nil
		case b == '$':
			raw = raw[:0]
			continue
		case len(raw) == MaxSize:
			return nil, ErrTooLong
		}
		raw = append(raw, b)
	}
}

// acknowledge acknowledges a packet or requests it again. Without acknowledgments
// it returns an error for a damaged packet.
func (c *Conn) acknowledge(whole bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.noAck && !whole:
		return errDamaged
	case c.noAck:
		return nil
	}
	answer := byte(ack)
	if !whole {
		answer = nack
	}
	_, err := c.w.Write([]byte{answer})
	return err
}

var errDamaged = errors.New("packet is damaged")

// resend writes the last frame again.
func (c *Conn) resend() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.noAck || c.last == nil {
		return nil
	}
	_, err := c.w.Write(c.last)
	return err
}

// Write sends a packet with the data.
func (c *Conn) Write(data []byte) error {
	frame := encode(data)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.noAck {
		c.last = frame
	}
	_, err := c.w.Write(frame)
	return err
}

// StopAcks ends acknowledgments in both directions (section E.11).
func (c *Conn) StopAcks() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noAck, c.last = true, nil
}
