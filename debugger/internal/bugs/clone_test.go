package bugs_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// A mutant is a way to copy a bug.
type mutant struct {
	name   string
	change func(*rand.Rand, seed, string) string
	recall float64 // the goal
}

var mutants = []mutant{
	{"renamed", rename, 0.9},
	{"reformatted", reformat, 0.9},
	{"edited", edit, 0.7},
}

// A seed is a bug to copy. The line with the bug contains the mark.
type seed struct {
	lang, ending, code string
	mark               string
	names              []string // those that a copy may change
	filler             []string // statements that an edit puts in; %s is a new name
}

// seeds are bugs as they happen, ten copies of each are hidden.
var seeds = []seed{
	{
		lang: "go", ending: ".go", mark: "entries[index",
		names: []string{"readEntry", "table", "header", "offset", "index", "entries", "name", "size"},
		code: `func readEntry(table *Table, header []byte) (string, error) {
	offset := binary.LittleEndian.Uint32(header[4:])
	if int(offset) > len(table.data) {
		return "", errTruncated
	}
	entries := table.section(offset)
	index := binary.LittleEndian.Uint16(header[8:])
	name := entries[index].name
	size := entries[index].size
	for size > 0 && name[size-1] == 0 {
		size--
	}
	return string(name[:size]), nil
}
`,
		filler: []string{"%s := 0", "log.Printf(\"step %%d\", len(%s))", "if debug { trace(%s) }"},
	},
	{
		lang: "go", ending: ".go", mark: "resp.Header",
		names: []string{"fetchDigest", "client", "address", "resp", "digest", "sum"},
		code: `func fetchDigest(client *http.Client, address string) ([]byte, error) {
	resp, err := client.Get(address)
	digest := resp.Header.Get("Digest")
	if err != nil {
		return nil, fmt.Errorf("fetch digest: %w", err)
	}
	defer resp.Body.Close()
	sum, err := base64.StdEncoding.DecodeString(digest)
	if err != nil || len(sum) != sha256.Size {
		return nil, errDigest
	}
	return sum, nil
}
`,
		filler: []string{"%s := time.Now()", "metrics.Add(%s, 1)", "if verbose { fmt.Println(%s) }"},
	},
	{
		lang: "c", ending: ".c", mark: "->next = node->next",
		names: []string{"list_remove", "list", "node", "key", "prev", "count"},
		code: `static int list_remove(struct list *list, const char *key)
{
	struct entry *node = list->head;
	struct entry *prev = NULL;
	while (node != NULL && strcmp(node->key, key) != 0) {
		prev = node;
		node = node->next;
	}
	if (node == NULL)
		return -1;
	list->count--;
	free(node->key);
	free(node);
	if (prev)
		prev->next = node->next;
	else
		list->head = node->next;
	return 0;
}
`,
		filler: []string{"int %s = 0;", "trace(\"%s\");", "stats.%s++;"},
	},
	{
		lang: "c", ending: ".c", mark: "memcpy(packet->payload",
		names: []string{"parse_packet", "packet", "data", "length", "size", "type", "payload_at"},
		code: `int parse_packet(struct packet *packet, const uint8_t *data, size_t length)
{
	uint16_t size;
	uint8_t type;
	if (length < 4)
		return -EINVAL;
	type = data[0];
	size = (data[2] << 8) | data[3];
	packet->type = type;
	packet->flags = data[1] & 0x7f;
	memcpy(packet->payload, data + 4, size);
	packet->size = size;
	if (type == PACKET_END)
		packet->last = 1;
	return 4 + size;
}
`,
		filler: []string{"int %s = 1;", "log_debug(\"%s\");", "counters[%s] += 1;"},
	},
	{
		lang: "python", ending: ".py", mark: ".group(1)",
		names: []string{"read_version", "path", "pattern", "handle", "line", "found", "major", "minor"},
		code: `def read_version(path, pattern):
    with open(path) as handle:
        for line in handle:
            if line.startswith("#"):
                continue
            found = re.match(pattern, line)
            major = int(found.group(1))
            minor = int(found.group(2) or 0)
            if major > 0:
                return (major, minor)
    return (0, 0)
`,
		filler: []string{"%s = 0", "log.debug(%s)", "%s += 1"},
	},
	{
		lang: "rust", ending: ".rs", mark: "fields[3].parse",
		names: []string{"parse_record", "line", "fields", "name", "amount", "rate"},
		code: `fn parse_record(line: &str) -> Result<Record, ParseError> {
    let fields: Vec<&str> = line.split(',').collect();
    let name = fields[0].trim().to_string();
    if name.is_empty() {
        return Err(ParseError::Empty);
    }
    let amount: i64 = fields[3].parse().unwrap();
    let rate: f64 = fields[4].parse().unwrap();
    Ok(Record { name, amount, total: amount as f64 * rate })
}
`,
		filler: []string{"let %s = 0;", "debug!(\"{}\", %s);", "counter.%s();"},
	},
	{
		lang: "javascript", ending: ".js", mark: "user.address",
		names: []string{"shippingLabel", "orders", "id", "order", "user", "street", "city"},
		code: `function shippingLabel(orders, users, id) {
	const order = orders.find((o) => o.id === id);
	if (!order) {
		return null;
	}
	const user = users.find((u) => u.id === order.userId);
	const street = user.address.street;
	const city = user.address.city.toUpperCase();
	return [order.name, street, city].filter(Boolean).join("\n");
}
`,
		filler: []string{"const %s = 0;", "console.log(%s);", "stats.%s += 1;"},
	},
}

// rename gives every name another one.
func rename(r *rand.Rand, s seed, code string) string {
	for i, name := range s.names {
		fresh := fmt.Sprintf("%s%d", words[r.IntN(len(words))], i)
		code = regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(code, fresh)
	}
	return code
}

var words = []string{"alpha", "frame", "cursor", "blob", "value", "item", "slot", "chunk", "origin", "state"}

// reformat changes what the language's layout allows, and adds comments.
func reformat(r *rand.Rand, s seed, code string) string {
	code = rename(r, s, code)
	comment := map[string]string{"python": "# see %d"}[s.lang]
	if comment == "" {
		comment = "// see %d"
	}
	var out strings.Builder
	for line := range strings.Lines(code) {
		line = strings.TrimSuffix(line, "\n")
		switch r.IntN(4) {
		case 0:
			fmt.Fprintf(&out, "%s "+comment+"\n\n", line, r.IntN(100))
		case 1:
			out.WriteString(strings.ReplaceAll(line, ", ", ",  ") + "\n")
		case 2:
			out.WriteString(strings.ReplaceAll(line, "\t", "        ") + "\n")
		default:
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// edit renames, puts one to three statements in, and leaves a line out.
func edit(r *rand.Rand, s seed, code string) string {
	lines := strings.Split(strings.TrimSuffix(rename(r, s, code), "\n"), "\n")
	for range 1 + r.IntN(3) {
		at := 2 + r.IntN(len(lines)-3)
		indent := lines[at][:len(lines[at])-len(strings.TrimLeft(lines[at], " \t"))]
		statement := fmt.Sprintf(s.filler[r.IntN(len(s.filler))], words[r.IntN(len(words))])
		lines = append(lines[:at], append([]string{indent + statement}, lines[at:]...)...)
	}
	at := len(lines) - 3
	if s.lang == "python" || s.lang == "rust" {
		at = len(lines) - 2
	}
	if !strings.ContainsAny(lines[at], "{}") {
		lines = append(lines[:at], lines[at+1:]...)
	}
	return strings.Join(lines, "\n") + "\n"
}

// haystack copies real code into a folder: Go's own, which has C among it, and
// what C, Python and JavaScript the machine has, and BUGS_SOURCES.
func haystack(t testing.TB, folder string, lines int) {
	t.Helper()
	sources := []struct {
		root, ending string
		part         int // of the lines, in per cent
	}{
		{goSources(), ".go", 60},
		{goSources(), ".c", 10},
		{"/usr/include", ".h", 20},
		{"/usr/lib/python3", ".py", 5},
		{"/usr/lib/node_modules", ".js", 5},
	}
	for _, s := range sources {
		copySources(t, folder, sourcesBelow(s.root, s.ending), lines*s.part/100)
	}
	for _, root := range filepath.SplitList(os.Getenv("BUGS_SOURCES")) {
		copySources(t, folder, sourcesBelow(root, ".c"), lines*30/100)
	}
}

// goSources is the folder of the sources that this test was built with.
func goSources() string {
	return filepath.Join(runtime.GOROOT(), "src") // where no Go is, there is nothing to search
}

// sourcesBelow are the files with an ending. What cannot be read is not needed.
func sourcesBelow(root, ending string) []string {
	var all []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Ext(path) == ending {
			all = append(all, path)
		}
		return nil
	})
	return all
}

// copySources copies so many lines of files.
func copySources(t testing.TB, folder string, files []string, lines int) {
	t.Helper()
	n := 0
	for _, path := range files {
		if n >= lines {
			return
		}
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		n += strings.Count(string(text), "\n")
		put(t, filepath.Join(folder, "hay", fmt.Sprintf("%d_%s", n, filepath.Base(path))), string(text))
	}
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const copies = 10

// hide puts copies of a bug between the functions of real files, and returns the
// places, as file:line ranges.
func hide(t testing.TB, r *rand.Rand, folder string, n int, s seed, m mutant) map[string][2]int {
	t.Helper()
	places := map[string][2]int{}
	for i := range copies {
		name := fmt.Sprintf("copies/%s%d_%d%s", m.name, n, i, s.ending)
		before := strings.Repeat(padding[s.lang], 1+r.IntN(4))
		code := m.change(r, s, s.code)
		put(t, filepath.Join(folder, name), before+code+padding[s.lang])
		first := 1 + strings.Count(before, "\n")
		places[name] = [2]int{first, first + strings.Count(code, "\n")}
	}
	return places
}

// padding is other code that stands beside a copy.
var padding = map[string]string{
	"go":         "func pad(x []int) int {\n\ttotal := 0\n\tfor _, v := range x {\n\t\ttotal += v * v\n\t}\n\treturn total\n}\n\n",
	"c":          "static int pad(int *x, int n)\n{\n\tint total = 0;\n\twhile (n-- > 0)\n\t\ttotal += *x++;\n\treturn total;\n}\n\n",
	"python":     "def pad(x):\n    total = 0\n    for v in x:\n        total += v * v\n    return total\n\n",
	"rust":       "fn pad(x: &[i32]) -> i32 {\n    let mut total = 0;\n    for v in x { total += v * v; }\n    total\n}\n\n",
	"javascript": "function pad(x) {\n\tlet total = 0;\n\tfor (const v of x) { total += v * v; }\n\treturn total;\n}\n\n",
}

// lineOf is the line of a text that contains mark.
func lineOf(t testing.TB, text, mark string) int {
	t.Helper()
	before, _, ok := strings.Cut(text, mark)
	if !ok {
		t.Fatalf("no %q in the text", mark)
	}
	return 1 + strings.Count(before, "\n")
}

// Copies of a bug are found among real code: recall and precision of the first
// ten findings, for each way to copy.
func TestCopiesOfABugAreFound(t *testing.T) {
	lines := sample.Count(2_000, 40_000)
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			folder := t.TempDir()
			haystack(t, folder, lines)
			measure(t, folder, m)
		})
	}
}

func measure(t *testing.T, folder string, m mutant) {
	t.Helper()
	recall, precision := quality(t, folder, seeds, m)
	t.Logf("recall %.2f, precision %.2f", recall, precision)
	if recall < m.recall {
		t.Errorf("recall is %.2f, want at least %.2f", recall, m.recall)
	}
	if precision < m.recall {
		t.Errorf("precision is %.2f, want at least %.2f", precision, m.recall)
	}
}

// quality hides copies of bugs in a folder and looks for them: how many of the
// copies are among the first ten findings, and how many of these are copies.
func quality(t testing.TB, folder string, bugged []seed, m mutant) (recall, precision float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var planted []map[string][2]int
	for n, s := range bugged {
		planted = append(planted, hide(t, r, folder, n, s, m))
		put(t, filepath.Join(folder, fmt.Sprintf("site%d%s", n, s.ending)), s.code)
	}
	f := finder(t, bugs.Config{MaxScan: time.Hour})
	for n, s := range bugged {
		report := find(t, f, bugs.Request{Path: folder, Limit: copies, Site: bugs.Site{
			File: fmt.Sprintf("site%d%s", n, s.ending), Line: lineOf(t, s.code, s.mark),
		}})
		hits := 0
		for _, finding := range report.Findings {
			at, ok := planted[n][finding.File]
			if ok && at[0] <= finding.Line && finding.Line < at[1] {
				hits++
			} else if testing.Verbose() {
				t.Logf("seed %d: wrong: %s:%d %s %d%% %s", n, finding.File, finding.Line, finding.Title, finding.Confidence, finding.Rule)
			}
		}
		t.Logf("seed %d (%s): %d of %d, %s", n, s.lang, hits, len(report.Findings), report.Diagnosis.Title)
		recall += float64(hits) / copies
		precision += float64(hits) / float64(max(1, len(report.Findings)))
	}
	return recall / float64(len(bugged)), precision / float64(len(bugged))
}
