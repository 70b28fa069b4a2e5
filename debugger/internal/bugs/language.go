package bugs

import (
	"path"
	"slices"
	"strings"
)

// A family is a set of languages whose code is compared with each other and
// judged by the same rules.
type family string

const (
	cFamily      family = "c"
	goFamily     family = "go"
	rustFamily   family = "rust"
	pythonFamily family = "python"
	scriptFamily family = "javascript"
)

// An outline is a way to find the functions of a file.
type outline int

const (
	byShape   outline = iota // a block after a parameter list
	byKeyword                // fn name(…) {…}
	byIndent                 // def name(…): and lines further right
)

// A language is one that files are read in.
type language struct {
	name     string
	grammar  *grammar
	family   family
	outline  outline
	keywords string   // what introduces a function by keyword, separated by spaces
	endings  []string // of file names, without the dot
}

// languages are the languages, the ones with rules first. For the others there
// is similar code only.
var languages = []language{
	{"C", &cGrammar, cFamily, byShape, "", []string{"c", "h"}},
	{"C++", &cppGrammar, cFamily, byShape, "", []string{"cc", "cpp", "cxx", "hpp", "hh", "hxx", "ipp", "cu", "cuh"}},
	{"Go", &goGrammar, goFamily, byKeyword, "func", []string{"go"}},
	{"Rust", &rustGrammar, rustFamily, byKeyword, "fn", []string{"rs"}},
	{"Python", &pythonGrammar, pythonFamily, byIndent, "def", []string{"py", "pyi", "pyx"}},
	{"JavaScript", &javaScriptGrammar, scriptFamily, byShape, "", []string{"js", "mjs", "cjs", "jsx"}},
	{"TypeScript", &typeScriptGrammar, scriptFamily, byShape, "", []string{"ts", "mts", "cts", "tsx"}},
	{"Java", &javaGrammar, "java", byShape, "", []string{"java"}},
	{"C#", &sharpGrammar, "csharp", byShape, "", []string{"cs"}},
	{"Kotlin", &kotlinGrammar, "kotlin", byKeyword, "fun", []string{"kt", "kts"}},
	{"Swift", &swiftGrammar, "swift", byKeyword, "func init", []string{"swift"}},
	{"Scala", &scalaGrammar, "scala", byKeyword, "def", []string{"scala"}},
	{"PHP", &phpGrammar, "php", byKeyword, "function fn", []string{"php"}},
	{"Zig", &zigGrammar, "zig", byKeyword, "fn", []string{"zig"}},
	{"D", &dGrammar, "d", byShape, "", []string{"d"}},
	{"Objective-C", &objectiveGrammar, cFamily, byShape, "", []string{"m", "mm"}},
}

// languageOf is the language of a file by its name, nil when there is none.
func languageOf(name string) *language {
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	if ending == "" {
		return nil
	}
	for i := range languages {
		if slices.Contains(languages[i].endings, ending) {
			return &languages[i]
		}
	}
	return nil
}

// linesEndStatements reports whether the end of a line may end a statement.
func (l *language) linesEndStatements() bool {
	switch l.family {
	case goFamily, pythonFamily, scriptFamily, "kotlin", "swift", "scala":
		return true
	default:
		return false
	}
}
