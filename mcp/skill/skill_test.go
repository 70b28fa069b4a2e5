package skill_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/triptych-mcp/triptych/mcp/skill"
)

func file(front string) []byte { return []byte("---\n" + front + "\n---\n\nText\n") }

const named = "name: a-b\ndescription: d\n"

// Front matter is rendered with all its keys, in order, by the core schema of YAML
// 1.2.2 (§10.3.2): what it does not call a number, a boolean or null is a text.
func TestFrontMatter(t *testing.T) {
	for front, want := range map[string]string{
		``:                                   ``,
		`license: MIT`:                       `"license":"MIT"`,
		`allowed-tools: Bash(git:*) Read`:    `"allowed-tools":"Bash(git:*) Read"`,
		`metadata: {version: "1.0", n: 1.0}`: `"metadata":{"version":"1.0","n":1.0}`,
		`x: [1, -2, +3, 007, 0x1F, 0o17]`:    `"x":[1,-2,3,7,31,15]`,
		`x: [1e3, .5, -0.50, 1., 01.5]`:      `"x":[1e3,0.5,-0.50,1,1.5]`,
		`x: [1_000, 0b1, .inf, .nan, 1:30]`:  `"x":["1_000","0b1",".inf",".nan","1:30"]`,
		`x: [yes, no, on, off, y, True]`:     `"x":["yes","no","on","off","y",true]`,
		`x: [~, null, "", '']`:               `"x":[null,null,"",""]`,
		`x: 2025-10-29`:                      `"x":"2025-10-29"`,
		`x: 2025-10-29 10:30:00`:             `"x":"2025-10-29 10:30:00"`,
		"x: &a [1]\ny: *a":                   `"x":[1],"y":[1]`,
		"x: |\n  one\n  two":                 `"x":"one\ntwo\n"`,
		`x: !!str 12`:                        `"x":"12"`,
		`"a\tb": "\u2028"`:                   `"a\tb":"` + "\u2028" + `"`,
	} {
		f, err := skill.ParseFront(file(named + front))
		if want != "" {
			want = "," + want
		}
		if want = `{"name":"a-b","description":"d"` + want + `}`; err != nil || string(f.JSON) != want {
			t.Errorf("%s\ngot  %s %v\nwant %s", front, f.JSON, err, want)
		}
		if !json.Valid(f.JSON) {
			t.Errorf("%s: no JSON: %s", front, f.JSON)
		}
	}
}

// What breaks a rule of the Agent Skills specification, or would be too much for a
// list, is an error that says why.
func TestBadFrontMatter(t *testing.T) {
	bomb := "x0: &x0 [a, a, a, a, a, a, a, a]\n"
	for i := 1; i < 10; i++ {
		bomb += fmt.Sprintf("x%d: &x%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*x%d, ", i-1), 8), ", "))
	}
	for why, data := range map[string][]byte{
		"no front matter":  []byte("# Title\n"),
		"does not end":     []byte("---\nname: a\n"),
		"not UTF-8":        []byte("---\nname: \xff\n---\n"),
		"not a mapping":    file("- a"),
		"description":      file("name: a"),
		"one to 64":        file("name: A\ndescription: d"),
		"digits":           file("name: -a\ndescription: d"),
		"single hyphens":   file("name: a--b\ndescription: d"),
		"lowercase":        file("name: " + strings.Repeat("a", 65) + "\ndescription: d"),
		"1025 characters":  file("name: a\ndescription: " + strings.Repeat("é", 1025)),
		"there twice":      file(named + "x: {a: 1, a: 2}"),
		"16 deep":          file(named + "x: " + strings.Repeat("[", 40) + strings.Repeat("]", 40)),
		"at most 32768":    file(named + "x: " + strings.Repeat("a", 40_000)),
		"more than 32768":  file(named + bomb),
		"the front matter": file("name: [\n"),
	} {
		if f, err := skill.ParseFront(data); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %s %v", why, f.JSON, err)
		}
	}
}

func TestPaths(t *testing.T) {
	for path, good := range map[string]bool{
		"SKILL.md": true, "scripts/extract.py": true, "a b/é.md": true,
		"": false, ".": false, "..": false, "/a": false, "a/": false, "a//b": false, "a/../b": false, `a\b`: false, "c:d": false,
		".git/config": false, "a/.hidden": false, "a\x00b": false, strings.Repeat("a", 513): false,
	} {
		if err := skill.CheckPath(path); (err == nil) != good {
			t.Errorf("%q: %v", path, err)
		}
		if !good {
			continue
		}
		if p, ok := skill.PathOf(skill.URI("team/x", path)); !ok || p != "team/x/"+path {
			t.Errorf("%q became %q in %s", path, p, skill.URI("team/x", path))
		}
	}
	for _, uri := range []string{"skill://a/%2e%2e/b", "skill://a/%2Fb", "skill://a/%zz", "skill:a/b", "ruleset://a/b", "skill://"} {
		if p, ok := skill.PathOf(uri); ok {
			t.Errorf("%s is %q", uri, p)
		}
	}
}

// SEP-2640 sets the limits: the largest skill is served, one byte or file more
// is not.
func TestLimits(t *testing.T) {
	main := file(named)
	files := func(n int, bytes int64) []skill.File {
		all := []skill.File{skill.FileOf(skill.MainFile, main)}
		bytes -= all[0].Size
		for i := range n - 1 {
			all = append(all, skill.File{Path: fmt.Sprintf("f%d", i)})
		}
		all[1].Size = bytes
		return all
	}
	for _, c := range []struct {
		n     int
		bytes int64
		ok    bool
	}{{512, 16 << 20, true}, {513, 1000, false}, {512, 16<<20 + 1, false}} {
		if _, err := skill.Manifest("a-b", main, files(c.n, c.bytes)); (err == nil) != c.ok {
			t.Errorf("%d files of %d bytes: %v", c.n, c.bytes, err)
		}
	}
	if _, err := skill.Manifest("a-c", main, nil); err == nil {
		t.Error("a skill in a folder of another name is served")
	}
}

// A folder of a program that is not a skill is found when the program starts.
func TestSourceRefusesWhatIsNoSkill(t *testing.T) {
	for _, files := range []fstest.MapFS{
		{"a/README.md": {Data: []byte("x")}},
		{"a/SKILL.md": {Data: file("name: b\ndescription: d")}},
		{"SKILL.md": {Data: file(named)}},
	} {
		if _, err := skill.Source("x", "", files); err == nil {
			t.Errorf("%v is served", files)
		}
	}
}

// Any text either is an error or valid JSON.
func FuzzFrontMatter(f *testing.F) {
	for _, s := range []string{named, named + "x: {a: [1, 0.5e-7, ~]}", named + "? [a]\n: b", named + "<<: {a: 1}", named + "x: &a [*a]", named + "x: !!binary aGk="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		front, err := skill.ParseFront(file(s))
		var object map[string]any
		if err == nil && (json.Unmarshal(front.JSON, &object) != nil || object["name"] != front.Name || object["description"] != front.Description) {
			t.Errorf("%q: %s", s, front.JSON)
		}
	})
}
