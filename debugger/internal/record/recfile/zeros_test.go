package recfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile/recfiletest"
)

// joined returns an event in which writes that follow each other are one.
func joined(e recfile.Event) recfile.Event {
	var all []recfile.Write
	for _, w := range e.Writes {
		if last := len(all) - 1; last >= 0 && all[last].Address+uint64(len(all[last].Data)) == w.Address {
			all[last].Data = append(all[last].Data, w.Data...)
			continue
		}
		all = append(all, recfile.Write{Address: w.Address, Data: append([]byte(nil), w.Data...)})
	}
	e.Writes = all
	return e
}

// patchy returns bytes with runs of zeros of any length between others.
func patchy(random *rand.Rand, size int) []byte {
	b := make([]byte, size)
	for at := 0; at < size; at += random.IntN(3000) {
		for end := min(size, at+random.IntN(700)); at < end; at++ {
			b[at] = byte(random.Uint32())
		}
	}
	return b
}

// TestZeros: what is read has all zeros of what was written, wherever they are: in memory, in
// vector states and in numbers.
func TestZeros(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		all := recfiletest.Events()
		first := &all[0]
		first.Writes, first.Vector = nil, patchy(random, random.IntN(1<<16))
		for k := range 1 + random.IntN(5) {
			first.Writes = append(first.Writes, recfile.Write{Address: uint64(1+k) << 24, Data: patchy(random, random.IntN(1<<19))})
		}
		for k := range random.IntN(2000) {
			m := recfile.Mapping{File: -1}
			if k%700 == 3 {
				m.Start = 1 << 40
			}
			first.Mappings = append(first.Mappings, m)
			first.Threads = append(first.Threads, recfile.Thread{ID: k, Vector: make([]byte, k%900)})
		}
		r, err := recfile.Read(bytes.NewReader(recfiletest.Write(t, all)), nil)
		if err != nil {
			t.Fatal(n, err)
		}
		for k := range all {
			if got, want := joined(r.Event(k)), joined(all[k]); !reflect.DeepEqual(got, want) {
				t.Fatalf("recording %d: event %d differs", n, k)
			}
		}
	}
}

// TestZerosTakeNothing: a recording of 400 MiB of zeros takes less than one MiB.
func TestZerosTakeNothing(t *testing.T) {
	all := recfiletest.Events()
	zeros := make([]byte, 100<<20)
	for k := range 4 {
		all[0].Writes = append(all[0].Writes, recfile.Write{Address: uint64(1+k) << 32, Data: zeros})
	}
	account := budget.New(1 << 30).Open("anna")
	file := recfiletest.Write(t, all)
	taken := taking(func() {
		r, err := recfile.Read(bytes.NewReader(file), account)
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, w := range r.Event(0).Writes[1:] {
			if size += len(w.Data); !bytes.Equal(w.Data, zeros[:len(w.Data)]) {
				t.Fatal("the memory is not zero")
			}
		}
		if size != 400<<20 {
			t.Errorf("%d bytes were written", size)
		}
	})
	if account.Taken() > 1<<20 || taken > 10<<20 {
		t.Errorf("a file of %d bytes takes %d bytes, %d were allocated", len(file), account.Taken(), taken)
	}
}

// TestManyZeros reads an event of many small writes before a large one that has many runs of
// zeros. The time that it takes is not their product: 13 thousand million runs would be passed.
func TestManyZeros(t *testing.T) {
	all := recfiletest.Events()
	first := &all[0]
	first.Writes = nil
	for range 400_000 {
		first.Writes = append(first.Writes, recfile.Write{Address: 1, Data: []byte{1}})
	}
	cells := make([]byte, 64<<20)
	for at := 0; at < len(cells); at += 2048 {
		for i := range 1024 {
			cells[at+i] = 1
		}
	}
	first.Writes = append(first.Writes, recfile.Write{Address: 1 << 32, Data: cells})
	file := recfiletest.Write(t, all)
	began := time.Now()
	if _, err := recfile.Read(bytes.NewReader(file), nil); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("a file of %d bytes is read in %v", len(file), took)
	}
}

// taking returns how many bytes f allocates.
func taking(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestBudget reads small files that would take much memory: they are refused before it is
// allocated.
func TestBudget(t *testing.T) {
	const limit = 8 << 20
	none := recfile.Remap{Mapping: recfile.Mapping{File: -1}}
	program := recfiletest.Events()[:1]
	small := func(n int) (all []recfile.Event) {
		all = append(all, program...)
		for k := range n {
			all = append(all, recfile.Event{Kind: recfile.Native, Position: uint64(k), Remap: none})
		}
		return all
	}
	filled := func(n int, pattern string) []recfile.Event {
		all := recfiletest.Events()
		all[0].Writes = append(all[0].Writes, recfile.Write{Address: 1 << 32, Data: bytes.Repeat([]byte(pattern), n/len(pattern))})
		return all
	}
	cells := string(make([]byte, 1024)) + string(bytes.Repeat([]byte{1}, 8))
	image := []byte{1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0}
	manyWrites := append(binary.AppendUvarint(append([]byte{1, 2}, image[2:]...), 1<<19), make([]byte, 2<<19)...)
	for name, file := range map[string][]byte{
		"one large event":        recfiletest.Write(t, filled(100<<20, "x")),
		"between runs of zeros":  recfiletest.Write(t, filled(100<<20, cells)),
		"many small events":      recfiletest.Write(t, small(1<<19)),
		"many writes of nothing": recfile.WriteBlocks(t, manyWrites, []byte{5, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0}),
	} {
		memory := budget.New(limit)
		account := memory.Open("anna")
		var err error
		taken := taking(func() { _, err = recfile.Read(bytes.NewReader(file), account) })
		full := (*budget.Error)(nil)
		if !errors.As(err, &full) || full.Limit != limit {
			t.Errorf("%s: %v", name, err)
		}
		if taken > 90<<20 {
			t.Errorf("%s: a file of %d KiB allocates %d MiB", name, len(file)>>10, taken>>20)
		}
		account.Close()
		if own, all := memory.Taken("anna"); own != 0 || all != 0 {
			t.Errorf("%s: %d bytes are left, %d of all", name, own, all)
		}
	}
}

// TestFalseLength reads a file that ends in a block of a gigabyte: what is before the block is
// read, and the rest takes nothing.
func TestFalseLength(t *testing.T) {
	file := recfile.WriteHead(t, []byte{1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0}, 1<<30)
	account := budget.New(4 << 20).Open("anna")
	r, err := recfile.Read(bytes.NewReader(file), account)
	if err != nil {
		t.Fatal(err)
	}
	if r.Len() != 2 || r.Last().Kind != recfile.Cut || account.Taken() > 1<<20 {
		t.Errorf("%d events, %d bytes", r.Len(), account.Taken())
	}
}
