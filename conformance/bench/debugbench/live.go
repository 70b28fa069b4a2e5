package main

import (
	"context"
	"time"
)

// recordLive records a loop of integers in place, and goes back in it.
func (b *bench) recordLive(ctx context.Context, _ int) error {
	loop := []string{b.program("loop")}
	return b.withTraveller(ctx, maker{ours, b.newTriptych}, loop, "age_begins", func(d timeTraveller) error {
		t := d.(*triptych)
		var free time.Duration
		err := t.at("age_begins", b.pace.ages, func() (err error) {
			free, err = t.run()
			return err
		})
		if err != nil {
			return err
		}
		b.readings.take("live", alone, free.Seconds())
		return b.recordAges(t)
	})
}

// recordAges records as much as has run before.
func (b *bench) recordAges(t *triptych) error {
	n, took, err := t.until("age_begins", b.pace.ages)
	if err != nil {
		return err
	}
	b.readings.take("live", ours, took.Seconds())
	b.readings.takeTime("live instruction", ours, took, n)
	if list := b.readings["record"][ours]; len(list) > 0 {
		b.readings.take("live instruction", interpreted, list[len(list)-1])
	}
	b.readings.take("live bytes", ours, float64(t.size())/float64(n))
	back, err := t.back(1)
	if err != nil {
		return err
	}
	if _, err := t.present(); err != nil {
		return err
	}
	written, err := t.written("age")
	for _, measure := range []string{"live back", "live written"} {
		b.readings.take(measure, recording, took.Seconds())
	}
	b.readings.take("live back", ours, back.Seconds())
	b.readings.take("live written", ours, written.Seconds())
	return err
}
