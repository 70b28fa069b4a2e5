package syntax

import (
	"path"
	"slices"
	"strings"
)

// A Family is a set of languages whose code is compared with each other and
// judged by the same rules.
type Family string

// The families that rules are written for.
const (
	CFamily      Family = "c"
	GoFamily     Family = "go"
	RustFamily   Family = "rust"
	PythonFamily Family = "python"
	ScriptFamily Family = "javascript"
)

// An Outline is a way to find the functions of a file.
type Outline int

// The outlines.
const (
	ByShape   Outline = iota // a block after a parameter list
	ByKeyword                // fn name(…) {…}
	ByIndent                 // def name(…): and lines further right
)

// A Language is one that files are read in.
type Language struct {
	Name     string
	grammar  *grammar
	Family   Family
	Outline  Outline
	keywords string   // what introduces a function by keyword, separated by spaces
	endings  []string // of file names, without the dot
}

// Languages are the languages, the ones with rules first. For the others there
// is similar code only.
var Languages = []Language{
	{"C", &cGrammar, CFamily, ByShape, "", []string{"c", "h"}},
	{"C++", &cppGrammar, CFamily, ByShape, "", []string{"cc", "cpp", "cxx", "hpp", "hh", "hxx", "ipp", "cu", "cuh"}},
	{"Go", &goGrammar, GoFamily, ByKeyword, "func", []string{"go"}},
	{"Rust", &rustGrammar, RustFamily, ByKeyword, "fn", []string{"rs"}},
	{"Python", &pythonGrammar, PythonFamily, ByIndent, "def", []string{"py", "pyi", "pyx"}},
	{"JavaScript", &javaScriptGrammar, ScriptFamily, ByShape, "", []string{"js", "mjs", "cjs", "jsx"}},
	{"TypeScript", &typeScriptGrammar, ScriptFamily, ByShape, "", []string{"ts", "mts", "cts", "tsx"}},
	{"Java", &javaGrammar, "java", ByShape, "", []string{"java"}},
	{"C#", &sharpGrammar, "csharp", ByShape, "", []string{"cs"}},
	{"Kotlin", &kotlinGrammar, "kotlin", ByKeyword, "fun", []string{"kt", "kts"}},
	{"Swift", &swiftGrammar, "swift", ByKeyword, "func init", []string{"swift"}},
	{"Scala", &scalaGrammar, "scala", ByKeyword, "def", []string{"scala"}},
	{"PHP", &phpGrammar, "php", ByKeyword, "function fn", []string{"php"}},
	{"Zig", &zigGrammar, "zig", ByKeyword, "fn", []string{"zig"}},
	{"D", &dGrammar, "d", ByShape, "", []string{"d"}},
	{"Objective-C", &objectiveGrammar, CFamily, ByShape, "", []string{"m", "mm"}},
}

// LanguageOf is the language of a file by its name, nil when there is none.
func LanguageOf(name string) *Language {
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	if ending == "" {
		return nil
	}
	for i := range Languages {
		if slices.Contains(Languages[i].endings, ending) {
			return &Languages[i]
		}
	}
	return nil
}

// LinesEndStatements reports whether the end of a line may end a statement.
func (l *Language) LinesEndStatements() bool {
	switch l.Family {
	case GoFamily, PythonFamily, ScriptFamily, "kotlin", "swift", "scala":
		return true
	default:
		return false
	}
}
