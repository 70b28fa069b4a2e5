package bugs

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Limits of one .gitignore; what goes beyond is not read.
const (
	ignoreBytes = 64 << 10
	ignoreLines = 2000
)

// An ignoreRule is one line of a .gitignore.
type ignoreRule struct {
	match   *regexp.Regexp // of the path relative to the file's folder
	include bool           // the line began with an exclamation mark
	folders bool           // only folders
}

// An ignoreList is the rules of one folder and of those above it, outermost
// first. It is immutable: folders share the lists of their parents.
type ignoreList struct {
	above  *ignoreList
	folder string // slashes, relative to the same root as the paths asked for; "." or empty is the root
	prefix string // the path of that root, for a list from further up; with a slash at its end
	rules  []ignoreRule
}

// parseIgnore reads a .gitignore that stands in folder. Lines that git would not
// understand are skipped, as git does.
func parseIgnore(above *ignoreList, folder, text string) *ignoreList {
	list := &ignoreList{above: above, folder: folder}
	n := 0
	for line := range strings.Lines(text) {
		if n++; n > ignoreLines {
			break
		}
		if r, ok := parseIgnoreLine(strings.TrimRight(line, "\r\n")); ok {
			list.rules = append(list.rules, r)
		}
	}
	return list
}

func parseIgnoreLine(line string) (ignoreRule, bool) {
	var r ignoreRule
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

// trimSpaces removes spaces at the end that no backslash protects.
func trimSpaces(line string) string {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	return line
}

// globExpression translates a pattern into a regular expression, which takes
// linear time whatever the pattern is.
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

// quoteByte is an expression for one byte of a name; the parts of a longer
// character stay what they are.
func quoteByte(b byte) string {
	if b >= 0x80 {
		return string([]byte{b})
	}
	return regexp.QuoteMeta(string(rune(b)))
}

// globSet translates a set of characters, and returns its length in the pattern;
// 0 if it is not closed.
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

// setByte is a character in a set.
func setByte(c byte) string {
	if strings.IndexByte(`\]^[`, c) >= 0 {
		return `\` + string(rune(c))
	}
	return string([]byte{c})
}

// setExpression is a set that never matches a slash.
func setExpression(body string, negated bool) string {
	if negated {
		return "[^/" + body + "]"
	}
	return "[" + body + "]"
}

// ignores reports whether a path is excluded; the last rule that matches
// decides. A walk does not go into excluded folders, so that
// nothing in them is asked for.
func (l *ignoreList) ignores(name string, folder bool) bool {
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

// leftOut are folders that hold other people's code, or what tools make.
var leftOut = map[string]bool{
	"vendor": true, "node_modules": true, "third_party": true, "thirdparty": true, "third-party": true,
	"bower_components": true, "jspm_packages": true, "site-packages": true,
	"dist-packages": true, "venv": true, "virtualenv": true, "__pycache__": true, "Pods": true,
	"Carthage": true, "Godeps": true, "elm-stuff": true, "CMakeFiles": true, "__pypackages__": true,
}

// vendored reports whether a folder is left out by its name alone. Hidden ones
// are: they are caches, settings and repositories.
func vendored(folder string) bool {
	base := path.Base(folder)
	return leftOut[base] || strings.HasPrefix(base, ".") && base != "."
}
