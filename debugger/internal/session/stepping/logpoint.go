package stepping

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/session/expr"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// SetLog makes a breakpoint one that logs a message and does not stop. Expressions
// stand in the message in braces; {{ is a brace. It is called after SetCondition:
// only hits for which the condition holds are logged.
func (bs *Breakpoints) SetLog(ctx context.Context, b *Breakpoint, message string) error {
	if message == "" {
		return nil
	}
	parts, err := parseMessage(message)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if p.value != nil {
			if err := bs.CheckNames(ctx, p.value, b.Places, "message cannot be made"); err != nil {
				return err
			}
		}
	}
	b.LogMessage = message
	holds := b.Holds
	b.Holds = func(hit proc.Hit) (bool, error) {
		if holds != nil {
			if ok, err := holds(hit); !ok || err != nil {
				return ok, err
			}
		}
		b.Logged++
		bs.Logged.add(bs.logLine(parts, hit))
		return false, nil
	}
	return nil
}

// A messagePart is a piece of a message: text, or an expression.
type messagePart struct {
	text  string
	value *expr.Expr // nil for text
}

// parseMessage splits a message at its braces.
func parseMessage(message string) ([]messagePart, error) {
	var parts []messagePart
	for rest := message; rest != ""; {
		before, after, found := strings.Cut(rest, "{")
		if strings.HasPrefix(after, "{") {
			parts, rest = append(parts, messagePart{text: before + "{"}), after[1:]
			continue
		}
		parts = append(parts, messagePart{text: before})
		if !found {
			break
		}
		text, after, closed := strings.Cut(after, "}")
		if !closed {
			return nil, failure.Breakpointf("the message has a brace that is not closed")
		}
		value, err := expr.Parse(text)
		if err != nil {
			return nil, failure.Breakpointf("the expression %q of the message cannot be understood: %v", text, err)
		}
		parts, rest = append(parts, messagePart{value: value}), after
	}
	return parts, nil
}

// logLine formats a message for a hit. What cannot be evaluated says why, in angle
// brackets.
func (bs *Breakpoints) logLine(parts []messagePart, hit proc.Hit) string {
	scope, err := bs.inspector.Scope(hit.Thread, 0)
	var b strings.Builder
	for _, p := range parts {
		switch {
		case p.value == nil:
			b.WriteString(p.text)
		case err != nil:
			fmt.Fprintf(&b, "<%v>", err)
		default:
			value, err := p.value.Eval(bs.inspector.Life, scope)
			if err != nil {
				fmt.Fprintf(&b, "<%v>", err)
			} else {
				b.WriteString(value.Text(values.DefaultLimits))
			}
		}
	}
	return b.String()
}

// maxLogged is the maximum number of lines that are kept for an answer, the latest
// ones, and maxLogLine the length of one.
const (
	maxLogged  = 200
	maxLogLine = 500
)

// A Logged holds the messages of logpoints since the last answer. Its methods
// may be called concurrently.
type Logged struct {
	mu    sync.Mutex
	lines []string
	lost  int
}

func (l *Logged) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(line) > maxLogLine {
		line = strings.ToValidUTF8(line[:maxLogLine], "") + "…"
	}
	l.lines = append(l.lines, line)
	if over := len(l.lines) - maxLogged; over > 0 {
		l.lines, l.lost = append(l.lines[:0], l.lines[over:]...), l.lost+over
	}
}

// Take returns the lines since the last call, and how many before them were
// dropped.
func (l *Logged) Take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	if l.lost > 0 {
		lines = append([]string{fmt.Sprintf("(%d lines left out)", l.lost)}, lines...)
	}
	l.lines, l.lost = nil, 0
	return lines
}
