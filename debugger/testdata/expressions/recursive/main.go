// Command recursive has types that contain themselves. Each line of its output is
// an expression and its value; the variables are in sight from where marker is
// called.
package main

import "fmt"

type pointer *pointer

type list []list

type tree map[string]tree

//go:noinline
func marker(p any) { sink = p }

var sink any

func main() {
	var p pointer
	p = pointer(&p)
	l := list{nil, {nil, nil}}
	t := tree{"a": {"b": nil}}
	for expression, value := range map[string]bool{
		"p == *p": p == *p, "p == **p": p == **p, "&p == 0": &p == nil, "p != 0": p != nil,
		"len(l) == 2": len(l) == 2, "len(l[1]) == 2": len(l[1]) == 2, `len(t["a"]) == 1`: len(t["a"]) == 1,
	} {
		fmt.Printf("%s\t%v\n", expression, value)
	}
	marker(&p)
	sink = l
	sink = t
}
