package editors

import "testing"

// The cases are from the documents and the sources of the clients, and those of Claude
// Code and Copilot from what the programs load (conformance/editors): both match globs
// without / in any folder, whatever their pages say. VS Code's are from
// computeAutomaticInstructions.ts, and picomatch as Cline (dot: true) and Qwen
// Code (dot: false) call it.
func TestGlobsMatchAsTheClientDoes(t *testing.T) {
	for _, tc := range []struct {
		client, glob, file string
		want               bool
	}{
		{"copilot", "*.py", "a.py", true},
		{"copilot", "*.py", "src/a.py", true},
		{"copilot", "*.PY", "src/a.py", false},
		{"copilot", "/src/*.py", "src/a.py", false},
		{"copilot", "**/*.py", "a.py", true},
		{"copilot", "**/*.py", "src/deep/a.py", true},
		{"copilot", "src/*.py", "src/foo.py", true},
		{"copilot", "src/*.py", "src/foo/bar.py", false},
		{"copilot", "src/**/*.py", "src/foo.py", true},
		{"copilot", "src/**/*.py", "src/foo/bar/baz.py", true},
		{"copilot", "**/subdir/**/*.py", "subdir/foo.py", true},
		{"copilot", "**/subdir/**/*.py", "foo/bar.py", false},
		{"copilot", "**", "any/file", true},
		{"vscode", "*.py", "src/a.py", true},
		{"vscode", "src/**/*.js", "packages/x/src/y.js", true},
		{"vscode", "/src/**/*.js", "packages/x/src/y.js", false},
		{"vscode", "**/*.TS", "a.ts", true},
		{"vscode", "**/*.{ts,tsx}", "a/b.tsx", true},
		{"claude", "**/*.ts", "src/a.ts", true},
		{"claude", "src/**/*", "src/a/b", true},
		{"claude", "*.md", "README.md", true},
		{"claude", "*.md", "docs/README.md", true},
		{"claude", "src/components/*.tsx", "src/components/a.tsx", true},
		{"claude", "src/components/*.tsx", "src/components/x/a.tsx", false},
		{"claude", "src/**/*.{ts,tsx}", "src/x/a.tsx", true},
		{"claude", "**/*.TS", "a.ts", true},
		{"claude", "docs", "src/docs/a.md", true},
		{"claude", "docs/**", "src/docs/a.md", true},
		{"claude", "docs/", "docs", false},
		{"claude", "/docs/*.md", "docs/a.md", true},
		{"claude", "src/*.ts", "src/x/a.ts", false},
		{"claude", "src/*", "src/x/a.ts", true}, // the folder
		{"claude", "./src/**", "src/a.ts", false},
		{"claude", "!**/*.ts", "a.ts", false},
		{"cline", "src/**", "src/.env", true},
		{"cline", "*.config.js", "a.config.js", true},
		{"cline", "*.config.js", "sub/a.config.js", false},
		{"qwen", "src/**", "src/.env", false},
		{"qwen", "src/.*", "src/.env", true},
		{"qwen", "**/*.ts", "src/a.ts", true},
		{"cursor", "*.ts", "src/a.ts", true},
		{"cursor", "src/*.ts", "src/x/a.ts", false},
		{"cursor", "src/**/*.ts", "src/a.ts", true},
		{"devin", "src/**/*.ts", "src/a/b.ts", true},
		{"kiro", "components/**/*.tsx", "components/a.tsx", true},
		{"kiro", ".github/**", ".github/x.yml", true},
		{"copilot", "[", "[", false}, // no glob matches nothing
		{"copilot", "", "a", false},
		{"copilot", "./src/a", "src/a", true},
	} {
		if got := Find(tc.client).Folder.Dialect.Match(tc.glob, tc.file); got != tc.want {
			t.Errorf("%s: %q matches %q: %v, want %v", tc.client, tc.glob, tc.file, got, tc.want)
		}
	}
}
