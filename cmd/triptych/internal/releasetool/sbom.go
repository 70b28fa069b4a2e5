package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"strings"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/release"
)

// SBOM returns the bill of materials of a program, a Go binary, in CycloneDX 1.6
// as JSON: the modules that the compiler has written into the binary, with their
// checksums. Equal programs have equal bills.
func SBOM(p release.Program, binary []byte) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return nil, fmt.Errorf("reading what the program was built from: %w", err)
	}
	main := cyclonedx.Component{
		BOMRef: packageURL(info.Main.Path, p.Version), Type: cyclonedx.ComponentTypeApplication,
		Name: info.Main.Path, Version: p.Version, PackageURL: packageURL(info.Main.Path, p.Version),
		Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: release.License}}},
	}
	runtime := strings.TrimPrefix(info.GoVersion, "go")
	components := []cyclonedx.Component{module("std", runtime)}
	needs := []string{components[0].BOMRef}
	for _, dep := range info.Deps {
		if dep.Replace != nil {
			dep = dep.Replace
		}
		component := module(dep.Path, dep.Version)
		component.Properties = &[]cyclonedx.Property{{Name: "golang:sum", Value: dep.Sum}}
		components = append(components, component)
		needs = append(needs, component.BOMRef)
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Component: &main}
	bom.Components = &components
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: main.BOMRef, Dependencies: &needs}}
	var out bytes.Buffer
	err = cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).EncodeVersion(bom, cyclonedx.SpecVersion1_6)
	return out.Bytes(), err
}

func module(path, version string) cyclonedx.Component {
	url := packageURL(path, version)
	return cyclonedx.Component{BOMRef: url, Type: cyclonedx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: url}
}

// packageURL names a Go module: github.com/package-url/purl-spec.
func packageURL(path, version string) string { return "pkg:golang/" + path + "@" + version }
