package recording_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"testing"
	"time"
)

// driveRedis connects to a redis-server when it listens, sets and reads keys, and makes it
// end. The channel gets the error.
func driveRedis(t *testing.T, socket string, keys int) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- useRedis(t.Context(), socket, keys) }()
	return done
}

func useRedis(ctx context.Context, socket string, keys int) error {
	var dialer net.Dialer
	c, err := dialer.DialContext(ctx, "unix", socket)
	for ; err != nil; c, err = dialer.DialContext(ctx, "unix", socket) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	defer func() { _ = c.Close() }()
	in := bufio.NewReader(c)
	for n := range keys {
		if _, err := fmt.Fprintf(c, "SET key%d %d\r\nGET key%d\r\n", n, n*n, n); err != nil {
			return err
		}
		var length, value int
		if _, err := fmt.Fscanf(in, "+OK\r\n$%d\r\n%d\r\n", &length, &value); err != nil || value != n*n {
			return fmt.Errorf("key %d has the value %d (%w)", n, value, err)
		}
	}
	_, err = fmt.Fprint(c, "SHUTDOWN NOSAVE\r\n")
	return err
}
