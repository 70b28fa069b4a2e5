// Command gokeys has maps by keys of several types, a generic function, and
// methods; the test stops in marker.
package main

import "os"

type dog struct {
	Name string
	Age  int
}

//go:noinline
func (d *dog) older(by int) int { return d.Age + by }

//go:noinline
func (d dog) sound() string { return d.Name + "!" }

type cache[K comparable, V any] struct{ items map[K]V }

//go:noinline
func (c *cache[K, V]) put(k K, v V) { c.items[k] = v }

type kennel struct {
	items map[int]*dog
	names map[string]int
}

type color uint8

var counter = 7

//go:noinline
func gen[T any](v T) T {
	marker(v)
	return v
}

//go:noinline
func marker(p any) { sink = p }

var sink any

//go:noinline
func look(k *kennel, key string) int {
	bools := map[bool]int{true: 31}
	signed := map[int8]int{-3: 32, 3: 33}
	unsigned := map[uint64]string{1 << 63: "top"}
	colors := map[color]int{255: 34}
	points := map[[2]int]int{{1, 2}: 35}
	large := map[int]int{}
	for i := range 1000 {
		large[i] = i * i
	}
	delete(large, 500)
	growing := map[int]int{}
	for i := range 833 { // one more than 128 buckets of the maps before Go 1.24 hold: nearly none has moved yet
		growing[i] = i * 2
	}
	wide := map[[200]byte][50]int64{{1}: {49: 36}}
	widest := map[string][50]int64{"w": {49: 37}}
	stays := map[string]*[50]int64{"s": {49: 38}}
	empty := map[string]int{}
	var none map[string]int
	marker(&k) // stop: look
	return bools[true] + signed[-3] + len(unsigned[1<<63]) + colors[255] + points[[2]int{1, 2}] + large[9] + none[key] + growing[9] + len(wide) + len(widest) + len(stays) + empty[key]
}

func main() {
	k := &kennel{items: map[int]*dog{1: {"Rex", 3}, 2: {"Fido", 5}}, names: map[string]int{"Rex": 3, "": 4, "naïve\n": 6}}
	c := &cache[string, int]{map[string]int{}}
	c.put("a", 1)
	n := look(k, "Rex") + k.items[1].older(2) + len(k.items[2].sound())
	os.Exit((n + gen(1) + len(gen("x")) + counter) & 1)
}
