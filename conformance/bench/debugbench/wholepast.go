package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// travelWhole records a program of so many instructions and goes through the recording.
func (b *bench) travelWhole(ctx context.Context, turn int) error {
	if turn > 0 {
		return nil // a round has many seeks
	}
	argv := []string{b.program("integers"), strconv.Itoa(b.pace.far / perTurn), strconv.Itoa(b.pace.near / perTurn)}
	began := time.Now()
	if _, _, err := b.timed(ctx, "", b.recordOf("past", argv)...); err != nil {
		return err
	}
	share := float64(b.pace.near) / float64(b.pace.far+b.pace.near)
	record := time.Since(began).Seconds() * share
	d, err := b.startTriptych(ctx, "--traces", b.bin)
	if err != nil {
		return err
	}
	t := d.(*triptych)
	if err = b.travelIn(t, record); err == nil {
		return t.close()
	}
	_ = t.close() // the error is that of the calls
	return err
}

// perTurn is the number of instructions of a turn of the program's loop, about.
const perTurn = 11

// travelIn goes through an open recording. Record is the time that it took to record what
// is between its end and the function once.
func (b *bench) travelIn(t *triptych, record float64) error {
	if _, err := t.call("open_trace", args{"file": b.whole("past")}, nil); err != nil {
		return err
	}
	if _, err := t.present(); err != nil {
		return err
	}
	end := t.state.History.End
	if err := b.seekWhole(t, end); err != nil {
		b.note(fmt.Sprintf("Seeks in a recording of %d instructions: %.200v", end, err))
		return nil
	}
	if _, err := t.present(); err != nil {
		return err
	}
	took, err := t.written("written_once")
	if err != nil {
		b.note(fmt.Sprintf("last_write over %d instructions: %.200v", b.pace.near, err))
		return nil
	}
	b.readings.take("whole written", ours, took.Seconds())
	b.readings.take("whole written", recording, record)
	return b.reverseWhole(t, record)
}

// seekWhole goes to random positions.
func (b *bench) seekWhole(t *triptych, end uint64) error {
	random, oldest := rand.New(rand.NewPCG(1, 2)), t.state.History.Oldest
	var times []float64
	for range b.pace.seeks {
		took, err := t.move("seek", args{"position": oldest + random.Uint64N(end-oldest)}, "moment", "beginning", "end")
		if err != nil {
			return err
		}
		times = append(times, took.Seconds())
	}
	slices.Sort(times)
	b.readings.take("whole seek", ours, times[len(times)*95/100])
	return nil
}

// reverseWhole goes back from the end to the one call of a function.
func (b *bench) reverseWhole(t *triptych, record float64) error {
	if _, err := t.present(); err != nil {
		return err
	}
	if err := t.stop("once"); err != nil {
		return err
	}
	took, err := t.move("reverse_continue", nil, "breakpoint")
	if err != nil {
		b.note(fmt.Sprintf("reverse_continue over %d instructions: %.200v", b.pace.near, err))
		return nil
	}
	b.readings.take("whole reverse", ours, took.Seconds())
	b.readings.take("whole reverse", recording, record)
	return nil
}
