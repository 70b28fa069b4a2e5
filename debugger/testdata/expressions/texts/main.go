// Command texts compares texts. Each line of its output is an expression and its
// value; the variables are in sight from where marker is called.
package main

import (
	"fmt"
	"os"
	"strings"
)

type label string

type person struct {
	name  string
	label label
	next  *person
}

//go:noinline
func marker(p any) { sink = p }

var sink any

//go:noinline
func look(name string, who *person, words []string, ages map[string]int) int {
	copied := strings.Clone(name)
	var empty string
	nul := "a\x00b"
	large := strings.Repeat("x", 5000)
	nearly := large[:4999] + "y"
	for expression, value := range map[string]bool{
		`name == "bob"`: name == "bob", `name != "bob"`: name != "bob", `"bob" == name`: "bob" == name, `name == "bobby"`: name == "bobby",
		`name < "boc"`: name < "boc", `name > "boc"`: name > "boc", `name <= "bob"`: name <= "bob", "copied == name": copied == name,
		"copied != empty": copied != empty, `empty == ""`: empty == "", "empty < name": empty < name, `nul == "a"`: nul == "a",
		`nul == "a\x00b"`: nul == "a\x00b", `nul > "a"`: nul > "a", "large == nearly": large == nearly, "large < nearly": large < nearly,
		`large == "xx"`: large == "xx", `who.name == "ann"`: who.name == "ann", `who.label == "größer"`: who.label == "größer",
		`who.next == nil`: who.next == nil, `words[1] == "two"`: words[1] == "two", "words[0] < words[1]": words[0] < words[1],
		`ages["ann"] == 3 && who.name == "ann"`: ages["ann"] == 3 && who.name == "ann", "ages[who.name] == 3": ages[who.name] == 3,
	} {
		fmt.Printf("%s\t%v\n", expression, value)
	}
	marker(who)
	return len(copied) + len(empty) + len(nul) + len(large) + len(nearly)
}

func main() {
	os.Exit(look("bob", &person{name: "ann", label: "größer"}, []string{"one", "two"}, map[string]int{"ann": 3}) & 1)
}
