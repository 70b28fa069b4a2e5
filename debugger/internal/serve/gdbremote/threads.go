package gdbremote

import (
	"context"
	"encoding/hex"
	"strings"
)

// threads answers the packets about threads.
type threads struct{ client *client }

// selectThread handles H, which selects the thread for registers and memory.
// Threads for c and s are given by vCont.
func (ts *threads) selectThread(ctx context.Context, args string) ([]byte, error) {
	if args == "" {
		return nil, errArgument
	}
	thread, err := ts.client.parseThread(args[1:])
	if err != nil {
		return nil, err
	}
	if thread != anyThread {
		if _, err := ts.isAlive(ctx, args[1:]); err != nil {
			return nil, err
		}
	}
	ts.client.thread = thread
	return []byte("OK"), nil
}

// isAlive handles T, which asks whether a thread exists.
func (ts *threads) isAlive(ctx context.Context, args string) ([]byte, error) {
	thread, err := ts.client.parseThread(args)
	if err != nil {
		return nil, err
	}
	return ts.client.inside(ctx, func() ([]byte, error) {
		if _, err := ts.client.s.Target.View.Regs(thread); err != nil {
			return nil, err
		}
		return []byte("OK"), nil
	})
}

func (ts *threads) currentThread(ctx context.Context, _ string) ([]byte, error) {
	return ts.client.inside(ctx, func() ([]byte, error) {
		thread, err := ts.client.s.Target.View.CurrentThread()
		return []byte("QC" + ts.client.threadID(thread)), err
	})
}

// listThreads handles qfThreadInfo, for clients that do not read the object
// threads.
func (ts *threads) listThreads(ctx context.Context, _ string) ([]byte, error) {
	return ts.client.inside(ctx, func() ([]byte, error) {
		threads, err := ts.client.s.Target.View.Threads()
		var ids []string
		for _, t := range threads {
			ids = append(ids, ts.client.threadID(t.ID))
		}
		return []byte("m" + strings.Join(ids, ",")), err
	})
}

// threadName handles qThreadExtraInfo.
func (ts *threads) threadName(ctx context.Context, args string) ([]byte, error) {
	thread, err := ts.client.parseThread(args)
	if err != nil {
		return nil, err
	}
	return ts.client.inside(ctx, func() ([]byte, error) {
		threads, err := ts.client.s.Target.View.Threads()
		for _, t := range threads {
			if t.ID == thread {
				return []byte(hex.EncodeToString([]byte(t.Name))), nil
			}
		}
		return []byte{}, err
	})
}
