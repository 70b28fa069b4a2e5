package gdbremote

import (
	"context"
	"encoding/xml"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote/packet"
)

// objects answers the packets that read the program: memory and the objects of qXfer.
type objects struct {
	client    *client
	registers *registers
}

// table maps the objects of qXfer (section E.4) to functions that return their
// contents.
func (ob *objects) table() map[string]func(annex string) ([]byte, error) {
	return map[string]func(annex string) ([]byte, error){
		"features":       ob.features,
		"auxv":           ob.auxv,
		"exec-file":      ob.executable,
		"libraries-svr4": ob.libraries,
		"siginfo":        ob.siginfo,
		"threads":        ob.threadsXML,
	}
}

// transfer handles qXfer:OBJECT:read:ANNEX:OFFSET,LENGTH. The reply is m and a
// part of the object, or l and its last part.
func (ob *objects) transfer(ctx context.Context, args string) ([]byte, error) {
	parts := strings.Split(args, ":")
	if len(parts) != 4 || parts[1] != "read" {
		return []byte{}, nil
	}
	read := ob.table()[parts[0]]
	if read == nil {
		return []byte{}, nil
	}
	offset, length, err := parsePair(parts[3])
	if err != nil {
		return nil, err
	}
	return ob.client.inside(ctx, func() ([]byte, error) {
		object, err := read(parts[2])
		if err != nil {
			return nil, err
		}
		rest := object[min(offset, uint64(len(object))):]
		if n := min(length, packet.MaxSize/4); n < uint64(len(rest)) {
			return append([]byte("m"), rest[:n]...), nil
		}
		return append([]byte("l"), rest...), nil
	})
}

// features returns the target description.
func (ob *objects) features(annex string) ([]byte, error) {
	if annex != "target.xml" {
		return nil, errno("E00") // E00 reports an invalid annex
	}
	return description(ob.registers.vectorWidth()), nil
}

// executable returns the path of the program. The annex may specify a process;
// there is only one.
func (ob *objects) executable(string) ([]byte, error) {
	return []byte(ob.client.s.Target.Executable()), nil
}

// threadsXML returns the object threads (section E.17).
func (ob *objects) threadsXML(string) ([]byte, error) {
	type item struct {
		XMLName xml.Name `xml:"thread"`
		ID      string   `xml:"id,attr"`
		Name    string   `xml:"name,attr,omitempty"`
	}
	threads, err := ob.client.s.Target.View.Threads()
	if err != nil {
		return nil, err
	}
	list := struct {
		XMLName xml.Name `xml:"threads"`
		Threads []item
	}{}
	for _, t := range threads {
		list.Threads = append(list.Threads, item{ID: ob.client.threadID(t.ID), Name: t.Name})
	}
	return xml.Marshal(list)
}
