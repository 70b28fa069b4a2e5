// Package syntax splits source code of sixteen languages into tokens and finds its
// functions. It does not parse: code that no compiler accepts has tokens, too.
//
//	lang := syntax.LanguageOf("src/parser.c")
//	tokens, err := syntax.Lex(ctx, lang, text)
//	…
//	for _, f := range syntax.Functions(lang, tokens) {
//		fmt.Println(f.Name)
//	}
//
// A language is a row of [Languages]: its grammar says how names, numbers, texts and
// comments are written, its family which languages are compared with each other.
package syntax
