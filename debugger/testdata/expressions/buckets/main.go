// Command buckets breaks maps of Go 1.23 and earlier (runtime/map.go): a chain of
// buckets that leads to itself, and numbers that no map has. Each line of its output
// is an expression and its value; the variables are in sight from where marker is
// called.
package main

import (
	"fmt"
	"unsafe"
)

type head struct {
	count   int
	flags   uint8
	bits    uint8
	_       [6]byte
	buckets unsafe.Pointer
	old     unsafe.Pointer
}

//go:noinline
func marker(p any) { sink = p }

var sink any

func broken(breaking func(h *head)) map[int]int {
	m := map[int]int{1: 11, 2: 12}
	breaking(*(**head)(unsafe.Pointer(&m)))
	return m
}

func main() {
	whole := broken(func(*head) {})
	ring := broken(func(h *head) {
		h.count = 1 << 40
		*(*unsafe.Pointer)(unsafe.Add(h.buckets, 8+8*8+8*8)) = h.buckets
	})
	endless := broken(func(h *head) { h.count, h.bits = 1<<40, 200 })
	beyond := broken(func(h *head) { h.count, h.bits = 1<<40, 40 })
	nowhere := broken(func(h *head) { h.buckets = unsafe.Pointer(&h.count) })
	fmt.Println("whole[1]\t11\nwhole[2]\t12\nlen(whole)\t2\nring[1]\t11\nring[2]\t12")
	marker(&whole)
	sink = []map[int]int{whole, ring, endless, beyond, nowhere}
}
