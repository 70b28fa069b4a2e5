package syntax

// A grammar describes the tokens of a language.
type grammar struct {
	keywords     string // with the predeclared types and constants, separated by blanks
	typeEnding   string // of names that are types; none where it is empty
	memberNames  bool   // every word is a name behind a dot or an arrow
	lineComments []string
	comments     []comment
	quotes       []quote // those come first that others begin like
	numbers      numberForm
	directives   string // the words of lines that a number sign begins, anyWord for all
	splices      bool   // a backslash at its end joins a line comment with the next line
	attributes   bool   // #[…] is left out
	regexps      bool   // there are regular expressions between slashes
	tags         bool   // a program is between <? and ?>
}

// Comments that most languages have.
var (
	slashes     = []string{"//"}
	flat        = comment{open: "/*", close: "*/"}
	nesting     = comment{open: "/*", close: "*/", nested: true}
	cComments   = []comment{flat}
	nestingOnly = []comment{nesting}
)

// Quotes that most languages have.
var (
	double = quote{open: `"`, close: `"`, flags: escapes}
	single = quote{open: `'`, close: `'`, flags: escapes}
	ticked = quote{open: "`", close: "`", flags: naming}
)

const allDots = leadingDot | trailingDot | suffixDot

var cGrammar = grammar{
	keywords: cWords, typeEnding: "_t", lineComments: slashes, comments: cComments, splices: true,
	numbers: allDots | ticks, directives: anyWord,
	quotes: []quote{
		{before: "l u u8", open: `"`, close: `"`, flags: escapes},
		{before: "l u u8", open: `'`, close: `'`, flags: escapes},
	},
}

var cppGrammar = grammar{
	keywords: cWords + cppWords, lineComments: slashes, comments: cComments, splices: true,
	numbers: allDots | ticks, directives: anyWord,
	quotes: []quote{
		{before: "r lr ur u8r", made: parenthesized, open: `"`, flags: manyLines | bound},
		{before: "l u u8", open: `"`, close: `"`, flags: escapes},
		{before: "l u u8", open: `'`, close: `'`, flags: escapes},
	},
}

var objectiveGrammar = grammar{
	keywords: cWords + objectiveWords, lineComments: slashes, comments: cComments, splices: true,
	numbers: allDots | ticks, directives: anyWord,
	quotes: []quote{{open: `@"`, close: `"`, flags: escapes}, double, single},
}

var goGrammar = grammar{
	keywords: goWords, lineComments: slashes, comments: cComments, numbers: allDots,
	quotes: []quote{double, single, {open: "`", close: "`", flags: manyLines}},
}

var rustGrammar = grammar{
	keywords: rustWords, lineComments: slashes, comments: nestingOnly, numbers: trailingDot, attributes: true,
	quotes: []quote{
		{before: "r br cr", made: fenced, open: `"`, flags: manyLines | bound},
		{before: "b c", open: `"`, close: `"`, flags: escapes | manyLines},
		{before: "b", made: character, open: `'`, flags: escapes},
	},
}

var pythonGrammar = grammar{
	keywords: pythonWords, memberNames: true, lineComments: []string{"#"}, numbers: allDots,
	quotes: []quote{
		{before: pythonFormats, open: `"""`, close: `"""`, code: "{", flags: escapes | manyLines | bound},
		{before: pythonFormats, open: `'''`, close: `'''`, code: "{", flags: escapes | manyLines | bound},
		{before: pythonFormats, open: `"`, close: `"`, code: "{", flags: escapes | bound},
		{before: pythonFormats, open: `'`, close: `'`, code: "{", flags: escapes | bound},
		{before: pythonPrefixes, open: `"""`, close: `"""`, flags: escapes | manyLines},
		{before: pythonPrefixes, open: `'''`, close: `'''`, flags: escapes | manyLines},
		{before: pythonPrefixes, open: `"`, close: `"`, flags: escapes},
		{before: pythonPrefixes, open: `'`, close: `'`, flags: escapes},
	},
}

// What may stand in front of strings of Python: with code in them, and without.
const (
	pythonFormats  = "f fr rf t tr rt"
	pythonPrefixes = "r u b br rb"
)

// scriptQuotes are the quotes of JavaScript and TypeScript.
var scriptQuotes = []quote{double, single, {open: "`", close: "`", code: "${", flags: escapes | manyLines}}

var javaScriptGrammar = grammar{
	keywords: scriptWords + javaScriptWords, memberNames: true, lineComments: slashes, comments: cComments, numbers: allDots,
	quotes: scriptQuotes, regexps: true,
}

var typeScriptGrammar = grammar{
	keywords: scriptWords + typeScriptWords, memberNames: true, lineComments: slashes, comments: cComments, numbers: allDots,
	quotes: scriptQuotes, regexps: true,
}

var javaGrammar = grammar{
	keywords: javaWords, lineComments: slashes, comments: cComments, numbers: allDots,
	quotes: []quote{{open: `"""`, close: `"""`, flags: escapes | manyLines}, double, single},
}

var sharpGrammar = grammar{
	keywords: sharpWords, lineComments: slashes, comments: cComments, numbers: leadingDot, directives: anyWord,
	quotes: []quote{
		{made: tripled, open: `"`, flags: manyLines},
		{open: `$@"`, close: `"`, code: "{", flags: doubled | manyLines},
		{open: `@$"`, close: `"`, code: "{", flags: doubled | manyLines},
		{open: `@"`, close: `"`, flags: doubled | manyLines},
		{open: `$"`, close: `"`, code: "{", flags: escapes},
		double, single,
	},
}

var kotlinGrammar = grammar{
	keywords: kotlinWords, lineComments: slashes, comments: nestingOnly, numbers: leadingDot,
	quotes: []quote{
		{open: `"""`, close: `"""`, code: "${", flags: manyLines},
		{open: `"`, close: `"`, code: "${", flags: escapes},
		{made: character, open: `'`, flags: escapes},
		ticked,
	},
}

var swiftGrammar = grammar{
	keywords: swiftWords, lineComments: slashes, comments: nestingOnly,
	directives: "if elseif else endif sourceLocation error warning",
	quotes: []quote{
		{open: `"""`, close: `"""`, code: `\(`, flags: escapes | manyLines},
		{open: `"`, close: `"`, code: `\(`, flags: escapes},
		{made: fencedOnce, open: `"`, flags: manyLines},
		ticked,
	},
}

var scalaGrammar = grammar{
	keywords: scalaWords, lineComments: slashes, comments: nestingOnly, numbers: leadingDot,
	quotes: []quote{
		{before: anyWord, open: `"""`, close: `"""`, code: "${", flags: manyLines | bound},
		{before: anyWord, open: `"`, close: `"`, code: "${", flags: escapes | bound},
		{open: `"""`, close: `"""`, flags: manyLines},
		double,
		{made: character, open: `'`, flags: escapes},
		ticked,
	},
}

var phpGrammar = grammar{
	keywords: phpWords, memberNames: true, lineComments: []string{"//", "#"}, comments: cComments,
	numbers: leadingDot | trailingDot, attributes: true, tags: true,
	quotes: []quote{
		{made: hereDocument, open: `"`, flags: manyLines | atLine},
		{open: `"`, close: `"`, flags: escapes | manyLines},
		{open: `'`, close: `'`, flags: escapes | manyLines},
		{open: "`", close: "`", flags: escapes | manyLines},
	},
}

var zigGrammar = grammar{
	keywords: zigWords, lineComments: slashes,
	quotes: []quote{{open: `\\`}, {open: `@"`, close: `"`, flags: escapes | naming}, double, single},
}

var dGrammar = grammar{
	keywords: dWords, lineComments: slashes, numbers: allDots,
	comments: []comment{flat, {open: "/+", close: "+/", nested: true}},
	quotes: []quote{
		{before: "q", made: bracketed, open: `"`, flags: manyLines | bound},
		{before: "r x", open: `"`, close: `"`, flags: manyLines | bound},
		{open: `"`, close: `"`, flags: escapes | manyLines},
		{open: "`", close: "`", flags: manyLines},
		single,
	},
}
