package gitignore

import (
	"regexp"
	"slices"
	"strings"
)

// MaxBytes is the size of a .gitignore up to which callers should read it.
const MaxBytes = 64 << 10

// maxLines limits the lines of a .gitignore that are read.
const maxLines = 2000

// A rule is one line of a .gitignore.
type rule struct {
	match   *regexp.Regexp // of the path relative to the file's folder
	include bool           // the line began with an exclamation mark
	folders bool           // only folders
}

// A List holds the rules of one folder and of those above it. It is immutable:
// folders share the lists of their parents. A nil List ignores nothing.
type List struct {
	above  *List
	folder string // slash-separated and relative to the root, like the paths given to Ignores; "." or "" is the root
	prefix string // path of the root relative to the folder of a list above it, with a slash at its end
	rules  []rule
}

// Parse parses the .gitignore of a folder at or below the root. The list above
// it may be nil. Lines with invalid patterns are skipped, as by git.
func Parse(above *List, folder, text string) *List {
	list := &List{above: above, folder: folder}
	n := 0
	for line := range strings.Lines(text) {
		if n++; n > maxLines {
			break
		}
		if r, ok := parseLine(strings.TrimRight(line, "\r\n")); ok {
			list.rules = append(list.rules, r)
		}
	}
	return list
}

// ParseAbove parses the .gitignore of a folder above the root, which is at path
// root relative to that folder.
func ParseAbove(above *List, root, text string) *List {
	list := Parse(above, "", text)
	list.prefix = root + "/"
	return list
}

func parseLine(line string) (rule, bool) {
	var r rule
	line = trimSpaces(line)
	if line == "" || line[0] == '#' {
		return r, false
	}
	if line[0] == '!' {
		r.include, line = true, line[1:]
	}
	if trimmed, ok := strings.CutSuffix(line, "/"); ok {
		r.folders, line = true, trimmed
	}
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	expression, ok := globExpression(line)
	if !ok || line == "" {
		return r, false
	}
	if !anchored {
		expression = "(?:.*/)?" + expression
	}
	match, err := regexp.Compile("^(?s:" + expression + ")$")
	r.match = match
	return r, err == nil
}

// trimSpaces removes trailing spaces that are not escaped by a backslash.
func trimSpaces(line string) string {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	return line
}

// globExpression translates a pattern into a regular expression, which matches
// in linear time for all patterns.
func globExpression(glob string) (string, bool) {
	var out strings.Builder
	for i := 0; i < len(glob); {
		rest := glob[i:]
		switch {
		case strings.HasPrefix(rest, "**/") && (i == 0 || glob[i-1] == '/'):
			out.WriteString("(?:.*/)?")
			i += 3
		case rest == "**" && i > 0 && glob[i-1] == '/':
			out.WriteString(".+")
			i += 2
		case rest[0] == '*':
			out.WriteString("[^/]*")
			i += len(rest) - len(strings.TrimLeft(rest, "*"))
		case rest[0] == '?':
			out.WriteString("[^/]")
			i++
		case rest[0] == '[':
			set, n := globSet(rest)
			if n == 0 {
				return "", false
			}
			out.WriteString(set)
			i += n
		case rest[0] == '\\':
			if len(rest) == 1 {
				return "", false
			}
			out.WriteString(regexp.QuoteMeta(rest[1:2]))
			i += 2
		default:
			out.WriteString(quoteByte(rest[0]))
			i++
		}
	}
	return out.String(), true
}

// quoteByte returns an expression for one byte of a name. Bytes of multi-byte
// characters are returned unchanged.
func quoteByte(b byte) string {
	if b >= 0x80 {
		return string([]byte{b})
	}
	return regexp.QuoteMeta(string(rune(b)))
}

// globSet translates a set of characters and returns its length in the pattern,
// or 0 if it is not closed.
func globSet(glob string) (string, int) {
	i := 1
	negated := i < len(glob) && (glob[i] == '!' || glob[i] == '^')
	if negated {
		i++
	}
	var body strings.Builder
	for first := true; i < len(glob); first = false {
		switch c := glob[i]; {
		case c == ']' && !first:
			return setExpression(body.String(), negated), i + 1
		case c == '[' && strings.HasPrefix(glob[i:], "[:") && strings.Contains(glob[i:], ":]"):
			n := strings.Index(glob[i:], ":]") + 2
			body.WriteString(glob[i : i+n])
			i += n
		case c == '\\' && i+1 < len(glob):
			body.WriteString(regexp.QuoteMeta(glob[i+1 : i+2]))
			i += 2
		case c == '-':
			body.WriteByte('-')
			i++
		default:
			body.WriteString(setByte(c))
			i++
		}
	}
	return "", 0
}

// setByte returns the expression for a character in a set.
func setByte(c byte) string {
	if strings.IndexByte(`\]^[`, c) >= 0 {
		return `\` + string(rune(c))
	}
	return string([]byte{c})
}

// setExpression returns the expression for a set that never matches a slash.
func setExpression(body string, negated bool) string {
	if negated {
		return "[^/" + body + "]"
	}
	return "[" + body + "]"
}

// Ignores reports whether a path is excluded. The last matching rule decides.
// Callers must not descend into excluded folders: rules cannot include files
// below them again.
func (l *List) Ignores(name string, folder bool) bool {
	for ; l != nil; l = l.above {
		inner := l.prefix + name
		if l.folder != "" && l.folder != "." {
			inner = strings.TrimPrefix(name, l.folder+"/")
		}
		for _, v := range slices.Backward(l.rules) {
			if r := v; (folder || !r.folders) && r.match.MatchString(inner) {
				return !r.include
			}
		}
	}
	return false
}
