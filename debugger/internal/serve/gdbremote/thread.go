package gdbremote

import (
	"context"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"strings"
)

// threadID formats a thread in the form that the client expects (section E.1.1).
func (v *server) threadID(thread int) string {
	if v.client.multiprocess {
		return fmt.Sprintf("p%x.%x", v.s.Target.ProcessID(), thread)
	}
	return fmt.Sprintf("%x", thread)
}

// anyThread is the value of parseThread for "any" and "all".
const anyThread = 0

// parseThread parses a thread id, with or without a process.
func (v *server) parseThread(text string) (int, error) {
	if rest, ok := strings.CutPrefix(text, "p"); ok {
		process, thread, several := strings.Cut(rest, ".")
		if pid, err := parseHex(process); process != "-1" && process != "0" && (err != nil || int(pid) != v.s.Target.ProcessID()) {
			return 0, errArgument
		}
		if text = thread; !several {
			text = "-1"
		}
	}
	if text == "-1" || text == "0" {
		return anyThread, nil
	}
	id, err := parseHex(text)
	return int(id), err
}

// selectThread handles H, which selects the thread for registers and memory.
// Threads for c and s are given by vCont.
func (v *server) selectThread(ctx context.Context, args string) ([]byte, error) {
	if args == "" {
		return nil, errArgument
	}
	thread, err := v.parseThread(args[1:])
	if err != nil {
		return nil, err
	}
	if thread != anyThread {
		if _, err := v.isAlive(ctx, args[1:]); err != nil {
			return nil, err
		}
	}
	v.thread = thread
	return []byte("OK"), nil
}

// isAlive handles T, which asks whether a thread exists.
func (v *server) isAlive(ctx context.Context, args string) ([]byte, error) {
	thread, err := v.parseThread(args)
	if err != nil {
		return nil, err
	}
	return v.inside(ctx, func() ([]byte, error) {
		if _, err := v.s.Target.View.Regs(thread); err != nil {
			return nil, err
		}
		return []byte("OK"), nil
	})
}

func (v *server) currentThread(ctx context.Context, _ string) ([]byte, error) {
	return v.inside(ctx, func() ([]byte, error) {
		thread, err := v.s.Target.View.CurrentThread()
		return []byte("QC" + v.threadID(thread)), err
	})
}

// listThreads handles qfThreadInfo, for clients that do not read the object
// threads.
func (v *server) listThreads(ctx context.Context, _ string) ([]byte, error) {
	return v.inside(ctx, func() ([]byte, error) {
		threads, err := v.s.Target.View.Threads()
		var ids []string
		for _, t := range threads {
			ids = append(ids, v.threadID(t.ID))
		}
		return []byte("m" + strings.Join(ids, ",")), err
	})
}

// threadName handles qThreadExtraInfo.
func (v *server) threadName(ctx context.Context, args string) ([]byte, error) {
	thread, err := v.parseThread(args)
	if err != nil {
		return nil, err
	}
	return v.inside(ctx, func() ([]byte, error) {
		threads, err := v.s.Target.View.Threads()
		for _, t := range threads {
			if t.ID == thread {
				return []byte(hex.EncodeToString([]byte(t.Name))), nil
			}
		}
		return []byte{}, err
	})
}

// threadsXML returns the object threads (section E.17).
func (v *server) threadsXML(string) ([]byte, error) {
	type item struct {
		XMLName xml.Name `xml:"thread"`
		ID      string   `xml:"id,attr"`
		Name    string   `xml:"name,attr,omitempty"`
	}
	threads, err := v.s.Target.View.Threads()
	if err != nil {
		return nil, err
	}
	list := struct {
		XMLName xml.Name `xml:"threads"`
		Threads []item
	}{}
	for _, t := range threads {
		list.Threads = append(list.Threads, item{ID: v.threadID(t.ID), Name: t.Name})
	}
	return xml.Marshal(list)
}
