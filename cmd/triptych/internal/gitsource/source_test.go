package gitsource

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Source{
		"https://github.com/a/b#skills/pdf/": {"https://github.com/a/b", "skills/pdf"},
		"ssh://git@github.com/a/b":           {"ssh://git@github.com/a/b", ""},
	} {
		if got, ok, err := Parse(text, false); got != want || !ok || err != nil {
			t.Errorf("%s: %+v %v %v", text, got, ok, err)
		}
	}
	for _, text := range []string{"rules", "./a#b", "/x/y.md", `C:\rules`, "a:b"} {
		if _, ok, err := Parse(text, false); ok || err != nil {
			t.Errorf("%s is a URL, %v", text, err)
		}
	}
	for _, text := range []string{
		"ext::sh -c id", "fd::17", "file:///x", "http://a/b", "git://a/b", "ftp://a/b", "https://", "https://-oProxyCommand=x/y",
		"ssh://-oProxyCommand=id/x", "https://a/b#../c", "https://a/b#/../c", "https://u:p@a/b",
	} {
		if _, ok, err := Parse(text, false); !ok || err == nil {
			t.Errorf("%s is taken: %v", text, ok)
		}
	}
}

// repository makes a repository by the commands of a script, which runs in its folder.
func repository(t *testing.T, script string) Source {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", "git init -q -b main .\n"+script+"\ngit -c user.name=a -c user.email=a@example.com commit -q -m one")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "MARK="+filepath.Join(dir, "mark"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return Source{URL: "file://" + dir}
}

// A hostile repository runs nothing, leads nowhere, and cannot fill the disk.
func TestHostileRepository(t *testing.T) {
	s := repository(t, `
mkdir -p rules hooks
echo one > rules/a.md
ln -s /etc/passwd rules/passwd.md
ln -s ../.. rules/up
head -c 1100000 /dev/zero | tr '\0' x > rules/large.md
printf '*.md filter=evil\n' > .gitattributes
printf '[submodule "s"]\n\tpath = s\n\turl = ext::sh -c "touch $MARK"\n' > .gitmodules
printf 'touch "$MARK"\n' > hooks/post-checkout
chmod +x hooks/post-checkout
cp hooks/post-checkout .git/hooks/post-checkout
git config filter.evil.smudge 'touch "$MARK"'
git config filter.lfs.process 'touch "$MARK"'
git config core.hooksPath hooks
git add -A
git update-index --add --cacheinfo 160000,0123456789012345678901234567890123456789,s
git update-index --add --cacheinfo 100644,$(git hash-object -w rules/a.md),'rules/a:b.md'
`)
	tree, err := Open(t.Context(), s.URL, []string{s.Path}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tree.Close() }()
	var files []string
	err = filepath.WalkDir(tree.Dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(tree.Dir, name)
			files = append(files, rel)
		}
		if err == nil && d.Type()&os.ModeSymlink != 0 {
			t.Errorf("%s is a link", name)
		}
		return err
	})
	if diff := cmp.Diff([]string{".gitattributes", ".gitmodules", "hooks/post-checkout", "rules/a.md"}, files); diff != "" || err != nil {
		t.Errorf("%v, files (-want +got):\n%s", err, diff)
	}
	want := map[string]string{
		"rules/passwd.md": "a link", "rules/up": "a link", "s": "a submodule", "rules/large.md": "has more than 1024 KiB",
		"rules/a:b.md": "has no name that every system takes",
	}
	if diff := cmp.Diff(want, tree.Left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	text, err := os.ReadFile(filepath.Join(tree.Dir, "rules", "a.md"))
	if string(text) != "one\n" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(strings.TrimPrefix(s.URL, "file://"), "mark")); !os.IsNotExist(err) {
		t.Errorf("something ran: %v", err)
	}
	if len(tree.Commit) != 40 || len(tree.Object("rules")) != 40 || tree.Object("rules/a.md") != "5626abf0f72e58d7a153368ba57db4c673c0e171" {
		t.Errorf("commit %s, objects %v", tree.Commit, tree.objects)
	}
}

func TestMissing(t *testing.T) {
	s := repository(t, "echo one > a.md; git add -A")
	tree, err := Open(t.Context(), s.URL, []string{"rules", "b.md"}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tree.Close() }()
	if tree.Files != 0 || len(tree.Left) != 0 {
		t.Errorf("%d files, %v left, want none", tree.Files, tree.Left)
	}
	if _, err := Open(t.Context(), s.URL, nil, false); err == nil {
		t.Error("a file URL is cloned without being asked for")
	}
}
