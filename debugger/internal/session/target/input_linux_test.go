package target

import (
	"errors"
	"io"
	"slices"
	"testing"
	"time"
)

// A read of a terminal returns a line, or nothing at the end of the input
// (termios(3), canonical mode). The end comes once, also after a line that has
// no newline.
func TestEndOfTerminalInput(t *testing.T) {
	for _, tt := range []struct {
		name  string
		sent  []string // the end follows the last one
		reads []string
	}{
		{"nothing", []string{""}, []string{""}},
		{"a line", []string{"one\n"}, []string{"one\n", ""}},
		{"a line that ends in a return", []string{"one\r"}, []string{"one\n", ""}},
		{"a part of a line", []string{"one"}, []string{"one", ""}},
		{"a line and a part", []string{"one\ntwo"}, []string{"one\n", "two", ""}},
		{"a part that was sent before", []string{"one", ""}, []string{"one", ""}},
		{"two parts", []string{"one", "two"}, []string{"onetwo", ""}},
		{"a part and its end", []string{"one", "\n"}, []string{"one\n", ""}},
		{"a part whose end was sent", []string{"one\x04", ""}, []string{"one", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, out, err := newTerminal()
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := errors.Join(out.read.Close(), out.write.Close()); err != nil {
					t.Error(err)
				}
			}()
			for i, text := range tt.sent {
				if err := in.Send(text, i == len(tt.sent)-1); err != nil {
					t.Fatal(err)
				}
			}
			if err := in.Send("after\n", false); err != nil { // the terminal is still open
				t.Fatal(err)
			}
			want := append(slices.Clone(tt.reads), "after\n")
			var got []string
			for range want {
				got = append(got, readLine(t, out))
			}
			if !slices.Equal(got, want) {
				t.Errorf("the program reads %q, want %q", got, want)
			}
		})
	}
}

// readLine reads once as the program of a terminal does.
func readLine(t *testing.T, out *Output) string {
	t.Helper()
	line := make([]byte, 64)
	_ = out.write.SetReadDeadline(time.Now().Add(time.Minute)) // terminals have deadlines
	n, err := out.write.Read(line)
	if err != nil && !errors.Is(err, io.EOF) { // EOF is a read of nothing
		t.Fatal(err)
	}
	return string(line[:n])
}
