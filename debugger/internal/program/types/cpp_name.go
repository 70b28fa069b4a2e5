package types

import (
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
)

// libraryStrings replaces the full names of the C++ library's strings, and of
// numbers, by the usual ones.
var libraryStrings = strings.NewReplacer(
	"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string",
	"std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string",
	"std::basic_string_view<char, std::char_traits<char> >", "std::string_view",
	"std::__cxx11::", "std::",
	"long long unsigned int", "unsigned long long", "long unsigned int", "unsigned long",
	"short unsigned int", "unsigned short", "long long int", "long long", "long int", "long", "short int", "short",
)

// defaults are the starts of template arguments that are omitted.
var defaults = []string{
	", std::allocator<", ", std::less<", ", std::hash<", ", std::equal_to<", ", std::default_delete<",
}

// withoutDefaults shortens the name of a C++ type.
func withoutDefaults(s string) string {
	s = libraryStrings.Replace(s)
	for _, d := range defaults {
		for at := strings.Index(s, d); at >= 0; at = strings.Index(s, d) {
			end := at + argument(s[at+len(d):]) + len(d)
			s = s[:at] + s[end:]
		}
	}
	return strings.ReplaceAll(s, " >", ">")
}

// argument returns the length of the rest of a template argument after its
// opening bracket.
func argument(s string) int {
	depth := 1
	for i := range len(s) {
		switch s[i] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// LibraryName returns the name of a type of the C++ library without
// std::__cxx11; empty for other types.
func (t *Type) LibraryName() string {
	s := t.Strip()
	if t.Lang != lang.CPlusPlus || s.Kind != KindStruct && s.Kind != KindClass || !strings.HasPrefix(s.name, "std::") {
		return ""
	}
	return strings.Replace(s.name, "std::__cxx11::", "std::", 1)
}
