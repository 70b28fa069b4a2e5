// Declares variables of the name of one that a closure captures.
package main

import "fmt"

func main() {
	v := 1
	work := func() {
		fmt.Println("A", v) // A
		v := 2
		fmt.Println("B", v) // B
		if v > 1 {
			v := "three"
			fmt.Println("C", v) // C
		}
		fmt.Println("D", v) // D
	}
	work()
}
