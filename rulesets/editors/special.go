package editors

import (
	"fmt"
	"path"
	"strings"
)

// tomlText returns a text of several lines as TOML.
func tomlText(s string) string {
	if !strings.Contains(s, "'''") && !strings.HasSuffix(s, "'") && !strings.ContainsFunc(s, isControl) {
		return "'''\n" + s + "'''\n"
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString("\\" + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case isControl(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + "\"\n"
}

// isControl reports whether TOML has a character only in its escaped form.
func isControl(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r == 0x7f
}

// setText sets the description and the body where they differ from what is written
// of them. A description that is not written stays.
func (r *Rule) setText(description, body string) {
	if description != "" && description != oneLine(r.Description) {
		r.Description = description
	}
	if !sameEnd(body, r.Body) {
		r.Body = body
	}
}

// AttachmentOf returns the path below the folder of a skill that a file of it has; ok is
// false for a SKILL.md, and for a file that is not below a client's folder of skills.
func AttachmentOf(file string) (below string, ok bool) {
	for i := range Clients {
		for _, dir := range Clients[i].Skills {
			if _, rest, found := strings.Cut("/"+file, "/"+dir+"/"); found {
				_, below, _ = strings.Cut(rest, "/")
				return below, below != "" && below != "SKILL.md"
			}
		}
	}
	return "", false
}

// IsSkill reports whether a file is the SKILL.md of a skill in a folder of skills.
func IsSkill(file string) bool {
	dir, name := path.Split(file)
	return name == "SKILL.md" && path.Base(path.Dir(path.Clean(dir))) == "skills"
}

// InSkills reports whether a file is in a folder in which a client looks for skills, of the
// project or of a folder of it.
func InSkills(file string) bool {
	for i := range Clients {
		for _, dir := range Clients[i].Skills {
			if strings.Contains("/"+file, "/"+dir+"/") {
				return true
			}
		}
	}
	return false
}
