package xml_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/text/encoding/htmlindex"
)

// A testSet is one file of the suite's catalogue.
type testSet struct {
	Version string      `xml:"version,attr"`
	Groups  []testGroup `xml:"testGroup"`
}

// A testGroup is a schema and the instances that are tried on it.
type testGroup struct {
	Name      string       `xml:"name,attr"`
	Version   string       `xml:"version,attr"`
	Schemas   []schemaTest `xml:"schemaTest"`
	Instances []struct {
		Name     string     `xml:"name,attr"`
		Version  string     `xml:"version,attr"`
		Document reference  `xml:"instanceDocument"`
		Expected []expected `xml:"expected"`
	} `xml:"instanceTest"`
}

type schemaTest struct {
	Name      string      `xml:"name,attr"`
	Version   string      `xml:"version,attr"`
	Documents []reference `xml:"schemaDocument"`
	Expected  []expected  `xml:"expected"`
}

type reference struct {
	Href string `xml:"http://www.w3.org/1999/xlink href,attr"`
}

type expected struct {
	Validity string `xml:"validity,attr"`
	Version  string `xml:"version,attr"`
}

// A schemaCase holds the verdicts of XML Schema 1.0 on one schema: on itself, and on
// instances.
type schemaCase struct {
	name      string
	schemas   []string // paths; all of them together are the schema
	want      string   // "valid", "invalid", or empty when only instances are tried
	instances []instanceCase
}

type instanceCase struct{ name, path, want string }

// suite reads the catalogue of the suite in a directory.
func suite(t *testing.T, dir string) []schemaCase {
	t.Helper()
	var index struct {
		Sets []reference `xml:"testSetRef"`
	}
	decode(t, filepath.Join(dir, "suite.xml"), &index)
	var all []schemaCase
	for _, ref := range index.Sets {
		path := filepath.Join(dir, ref.Href)
		if _, err := os.Stat(path); os.IsNotExist(err) {
			t.Logf("%s is not there", ref.Href) // NIST's part is distributed apart
			continue
		}
		var set testSet
		decode(t, path, &set)
		if forVersion10(set.Version) {
			all = append(all, cases(filepath.Dir(path), set)...)
		}
	}
	return all
}

func decode(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	decoder := xml.NewDecoder(bytes.NewReader(text))
	decoder.CharsetReader = func(name string, in io.Reader) (io.Reader, error) {
		encoding, err := htmlindex.Get(name)
		if err != nil {
			return nil, err
		}
		return encoding.NewDecoder().Reader(in), nil
	}
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// forVersion10 reports whether what has a version attribute is about XML Schema
// 1.0. Without one it is about all versions.
func forVersion10(version string) bool { return version == "" || version == "1.0" }

// validity returns the verdict of version 1.0; empty if it has none. What is
// said of one version outweighs what is said of all.
func validity(all []expected) string {
	general := ""
	for _, e := range all {
		switch e.Version {
		case "1.0":
			return opinion(e.Validity)
		case "":
			general = opinion(e.Validity)
		}
	}
	return general
}

// opinion leaves out what implementations may decide.
func opinion(validity string) string {
	if validity == "valid" || validity == "invalid" {
		return validity
	}
	return ""
}

// cases makes cases of one set, whose references are relative to dir.
func cases(dir string, set testSet) []schemaCase {
	var all []schemaCase
	for _, group := range set.Groups {
		if !forVersion10(group.Version) {
			continue
		}
		for _, s := range group.Schemas {
			if !forVersion10(s.Version) {
				continue
			}
			c := schemaCase{name: group.Name + "/" + s.Name, want: validity(s.Expected)}
			for _, d := range s.Documents {
				c.schemas = append(c.schemas, filepath.Join(dir, d.Href))
			}
			for _, i := range group.Instances {
				if want := validity(i.Expected); want != "" && forVersion10(i.Version) {
					c.instances = append(c.instances, instanceCase{group.Name + "/" + i.Name, filepath.Join(dir, i.Document.Href), want})
				}
			}
			all = append(all, c)
		}
	}
	return all
}
