package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/release"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

var program = release.Program{
	Version: "1.2.3", Description: "Rules for editors", Protocols: []string{"2025-11-25"},
	Tools: []release.Tool{{Name: "list_rulesets", Description: "List rulesets"}},
}

// The files follow the schemas of those who read them.
func TestSchemas(t *testing.T) {
	tests := map[string]struct {
		schema string
		make   func() ([]byte, error)
	}{
		"registry": {"server.schema.json", func() ([]byte, error) {
			return Registry(program, []Digest{{File: "triptych_1.2.3_linux_amd64.mcpb", SHA256: "fe333e598595000ae021bd27117db32ec69af6987f507ba7a63c90638ff633ce"}})
		}},
		"registry of a server": {"server.schema.json", func() ([]byte, error) {
			return release.ServerJSON(program, nil, release.Endpoint("https://127.0.0.1:8443/mcp"))
		}},
		"manifest for Linux":   {"manifest.schema.json", func() ([]byte, error) { return Manifest(program, System{OS: "linux"}) }},
		"manifest for Windows": {"manifest.schema.json", func() ([]byte, error) { return Manifest(program, System{OS: "windows"}) }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			text, err := test.make()
			if err != nil {
				t.Fatal(err)
			}
			document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			compiler := jsonschema.NewCompiler()
			compiler.AssertFormat()
			schema, err := compiler.Compile(filepath.Join("testdata", test.schema))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(document); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

// deploy/server.json is the entry of a release without bundles.
func TestServerJSONIsFresh(t *testing.T) {
	p := buildinfo.PublicFacts()
	p.Version = "0.0.0"
	text, err := Registry(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	mcptest.Golden(t, filepath.Join("..", "..", "..", "..", "deploy", "server.json"), text)
}

// A bundle unpacks to a program that can be executed, and two of the same are equal.
func TestBundle(t *testing.T) {
	var one, two bytes.Buffer
	for _, out := range []*bytes.Buffer{&one, &two} {
		if err := WriteBundle(out, program, System{OS: "linux", Arch: "amd64"}, []byte("ELF"), []byte("MIT"), []byte("others")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("two bundles of the same differ")
	}
	archive, err := zip.NewReader(bytes.NewReader(one.Bytes()), int64(one.Len()))
	if err != nil {
		t.Fatal(err)
	}
	file, err := archive.Open("server/triptych")
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(file)
	info, _ := file.Stat()
	if err != nil || string(content) != "ELF" || info.Mode() != 0o755 {
		t.Errorf("%q %v %v", content, info.Mode(), err)
	}
	if _, err := Manifest(program, System{OS: "plan9"}); err == nil {
		t.Error("a manifest for plan9, which the format does not know")
	}
}

// The bill of this test's own binary names the modules it was built from.
func TestSBOM(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	text, err := SBOM(program, binary)
	if err != nil {
		t.Fatal(err)
	}
	var bill struct {
		BOMFormat, SpecVersion string
		Components             []struct{ Name, Version, PURL string }
	}
	if err := json.Unmarshal(text, &bill); err != nil {
		t.Fatal(err)
	}
	if bill.BOMFormat != "CycloneDX" || bill.SpecVersion != "1.6" {
		t.Errorf("%s %s, want CycloneDX 1.6", bill.BOMFormat, bill.SpecVersion)
	}
	names := map[string]bool{}
	for _, c := range bill.Components {
		names[c.Name] = c.PURL == "pkg:golang/"+c.Name+"@"+c.Version
	}
	if !names["std"] {
		t.Errorf("the standard library is missing in %v", names)
	}
	if _, err := SBOM(program, []byte("no program")); err == nil {
		t.Error("a bill of what is no program")
	}
}

// The notices name each module that a built program says it has, with a license.
func TestNotices(t *testing.T) {
	text, err := Notices(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}",
		"github.com/triptych-mcp/triptych/cmd/triptych").Output()
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" {
			wanted[line] = true
		}
	}
	if len(wanted) < 20 {
		t.Fatalf("only %d modules: %v", len(wanted), wanted)
	}
	wanted["std "+strings.TrimPrefix(runtime.Version(), "go")] = true
	for _, module := range slices.Sorted(maps.Keys(wanted)) {
		if !strings.Contains(string(text), "\n"+module+"\n") {
			t.Errorf("%s is missing", module)
		}
	}
	for _, section := range strings.Split(string(text), strings.Repeat("=", 78))[1:] {
		_, license, ok := strings.Cut(strings.TrimSpace(section), "\n\n")
		if !ok || strings.TrimSpace(license) == "" {
			t.Errorf("a section without a text: %.200s", section)
		}
	}
	if _, err := Licenses(Module{Path: "example.com/free", Dir: t.TempDir()}); err == nil {
		t.Error("a module without a license is accepted")
	}
}

// What is built of a release contains the licenses: archives, packages, bundles and the
// image.
func TestNoticesGoWithEverything(t *testing.T) {
	for file, wants := range map[string][]string{
		".goreleaser.yaml": {
			"releasetool notices >bin/release/" + noticesFile, "{src: bin/release/" + noticesFile + ", info: *info}",
			"{src: bin/release/" + noticesFile + ", dst: /usr/share/doc/triptych/" + noticesFile, "extra_files: [LICENSE, bin/release/" + noticesFile,
		},
		"Dockerfile": {"COPY bin/release/" + noticesFile + " /" + noticesFile},
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s lacks %q", file, want)
			}
		}
	}
}
