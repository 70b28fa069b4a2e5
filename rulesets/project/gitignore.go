package project

import (
	"bytes"
	"errors"
	"slices"
	"strings"
)

// gitIgnoreFile is the file of git that names files which it leaves out.
const gitIgnoreFile = ".gitignore"

// The lines around the section that a project has in its gitIgnoreFile.
const (
	ignoreBegin = "# begin of triptych: files that `triptych rulesets pull` writes"
	ignoreEnd   = "# end of triptych"
)

// errIgnoreMarks is returned for a section without an end.
var errIgnoreMarks = errors.New(`a file of git has a line "` + ignoreBegin + `" without "` + ignoreEnd + `" below it: remove the line, or add the other`)

// IgnoreFiles has git ignore the files of the lock that triptych has written as a whole, and
// those of one person; files with a block and other text are left out. It keeps them in a
// section of .gitignore, which it adds if add is set, and else keeps right where there is
// one. It reports whether it has written the file.
func (p *Project) IgnoreFiles(add bool) (written bool, err error) {
	return p.keepIgnored(gitIgnoreFile, append(ignoredFiles(p.Lock), "/"+LocalFile, "/"+LocalLockFile), add)
}

// excludeFile is the file of git that names files which it leaves out for one person.
const excludeFile = ".git/info/exclude"

// ErrNoGit is returned for a project whose folder is not the root of a git repository.
var ErrNoGit = errors.New("there is no folder .git here")

// IgnorePersonal has git ignore [LocalFile] and the files of the lock, which is the one of
// [Project.Personal], in a section of .git/info/exclude, which is not shared. It reports
// whether it has written it.
func (p *Project) IgnorePersonal() (written bool, err error) {
	if !p.disk.isDir(".git") {
		return false, ErrNoGit
	}
	return p.keepIgnored(excludeFile, append(ignoredFiles(p.Lock), "/"+LocalFile, "/"+LocalLockFile), true)
}

// ignoresFiles reports whether git ignores the rule files that are written as a whole.
func (p *Project) ignoresFiles() bool {
	text, _, err := p.disk.read(gitIgnoreFile)
	if err != nil {
		return false
	}
	_, _, there, err := cutIgnored(text)
	return there && err == nil
}

// ignoredFiles returns the files of a lock that were written as a whole, as lines for git.
func ignoredFiles(l Lock) (lines []string) {
	for _, e := range l.Entries {
		if !e.Shared && e.Sum != absent {
			lines = append(lines, "/"+ignoreEscaped(e.Path))
		}
	}
	return lines
}

// keepIgnored keeps lines in the section of a file of git, which it adds if add is set.
func (p *Project) keepIgnored(file string, lines []string, add bool) (written bool, err error) {
	old, _, err := p.disk.read(file)
	if err != nil {
		return false, err
	}
	before, after, there, err := cutIgnored(old)
	if err != nil || !there && !add {
		return false, err
	}
	slices.Sort(lines)
	text := before
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(bytes.Clone(text), '\n')
	}
	section := ignoreBegin + "\n" + strings.Join(append(lines, ignoreEnd), "\n") + "\n"
	text = append(append(bytes.Clone(text), section...), after...)
	if bytes.Equal(text, old) {
		return false, nil
	}
	return true, p.disk.write(file, text)
}

// cutIgnored returns the text before and after the section. Without one, all is before it.
func cutIgnored(text []byte) (before, after []byte, there bool, err error) {
	begin := -1
	for at := 0; at < len(text); {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		switch line := strings.TrimRight(string(text[at:end]), "\r\n"); {
		case line == ignoreBegin && begin < 0:
			begin = at
		case line == ignoreEnd && begin >= 0:
			return text[:begin], text[end:], true, nil
		}
		at = end
	}
	if begin >= 0 {
		return nil, nil, true, errIgnoreMarks
	}
	return text, nil, false, nil
}

// ignoreEscaped returns a path as a pattern that matches it alone.
func ignoreEscaped(path string) string {
	var b strings.Builder
	for i := range len(path) {
		if strings.IndexByte(`\*?[`, path[i]) >= 0 || path[i] == ' ' && i == len(path)-1 {
			b.WriteByte('\\')
		}
		b.WriteByte(path[i])
	}
	return b.String()
}
