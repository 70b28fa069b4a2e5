package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// speeds measures record_speed beside what makes a file durable at the least:
// write another, sync it, rename it. Ours locks the folder against other
// processes, reads the day, and syncs the folder too.
func (b *bench) speeds(ctx context.Context) error {
	dir := filepath.Join(b.data, "durable")
	f, err := b.family(ctx, &aoc.Config{Dir: dir}, host.Env{Data: b.data})
	if err != nil {
		return err
	}
	day := filepath.Join(dir, "speeds", "day01.json")
	record := f.call(ctx, "record_speed", `{"day":1,"phase":1,"llm_name":"some-model","speed_ms":1234}`)
	forgotten := 0
	readings, err := race(b.pace(),
		op{ours, func() error {
			if forgotten++; forgotten%20 == 0 { // it would be rewritten longer and longer
				_ = os.Remove(day) // it may be the first time
			}
			return record()
		}},
		op{"write, fsync, rename", func() error { return replace(filepath.Join(dir, "speeds", "peer.json")) }},
		op{"the same, folder synced", func() error {
			return errors.Join(replace(filepath.Join(dir, "speeds", "peer.json")), syncFolder(filepath.Join(dir, "speeds")))
		}})
	if err = errors.Join(err, f.server.Close()); err != nil {
		return err
	}
	b.addTime("stores", "record_speed, durable", 1.3, &readings[0], &readings[1])
	b.addTime("stores", "record_speed, durable", 0, &readings[0], &readings[2])
	return nil
}

// entries is a file of ten entries, as many as ours has in the mean.
var entries = make([]byte, 10*130)

func replace(path string) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".peer*")
	if err != nil {
		return err
	}
	_, err = temp.Write(entries)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
