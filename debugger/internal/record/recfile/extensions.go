package recfile

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
)

// extensions lists the instruction set extensions that programs use, by the names of Linux
// (proc_cpuinfo(5)). Those of all x86-64 processors are left out.
var extensions = []string{
	"pni", "ssse3", "sse4_1", "sse4_2", "sse4a", "cx16", "lahf_lm", "popcnt", "movbe", "abm", "pclmulqdq", "aes", "fma", "f16c",
	"xsave", "xsaveopt", "xsavec", "xgetbv1", "rdrand", "rdseed", "adx", "fsgsbase", "bmi1", "bmi2", "hle", "rtm", "3dnow", "3dnowext",
	"xop", "fma4", "tbm", "avx", "avx2", "avx_vnni", "avx_ifma", "avx_vnni_int8", "avx_vnni_int16", "avx_ne_convert", "avx10",
	"avx512f", "avx512dq", "avx512cd", "avx512bw", "avx512vl", "avx512er", "avx512pf", "avx512ifma", "avx512vbmi", "avx512_vbmi2",
	"avx512_vnni", "avx512_bitalg", "avx512_vpopcntdq", "avx512_4vnniw", "avx512_4fmaps", "avx512_bf16", "avx512_fp16",
	"avx512_vp2intersect", "amx_tile", "amx_int8", "amx_bf16", "amx_fp16", "sha_ni", "sha512", "sm3", "sm4", "gfni", "vaes",
	"vpclmulqdq", "clflushopt", "clwb", "cldemote", "clzero", "movdiri", "movdir64b", "serialize", "waitpkg", "rdpid", "pku",
	"mwaitx", "cmpccxadd", "user_shstk",
}

// known returns the names of a list that are extensions.
func known(names []string) []string {
	return slices.DeleteFunc(slices.Clone(extensions), func(e string) bool { return !slices.Contains(names, e) })
}

// AddExtensions adds the extensions of the processor.
func (w *Writer) AddExtensions(names []string) error {
	w.buf = appendText(w.buf[:0], strings.Join(names, " "))
	if w.index != nil {
		w.index.extensions = names
	}
	return w.block(blockExtensions)
}

// AddExtensions reads what Writer.addExtensions has written. Names that are not known come
// from a later version.
func (r *Recording) addExtensions(p payload) error {
	d := newDecoder(p, nil)
	names := strings.Fields(d.text())
	if d.bad || d.left() > 0 || r.Extensions != nil && !(r.segment && slices.Equal(names, r.Extensions)) {
		return fmt.Errorf("%w: the list of extensions", ErrCorrupt)
	}
	for _, name := range names {
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			return fmt.Errorf("%w: the extension %q", ErrCorrupt, name)
		}
	}
	r.Extensions = names
	return nil
}

// lacks returns the extensions of the recorded processor that are not among others.
func (r *Recording) lacks(others []string) []string {
	return slices.DeleteFunc(slices.Clone(r.Extensions), func(e string) bool { return slices.Contains(others, e) })
}

// OwnExtensions returns the extensions of the processor that the system lets programs use, or nil if it
// does not say.
func OwnExtensions() []string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name, flags, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "flags" {
			return known(strings.Fields(flags))
		}
	}
	return nil
}

// Lacks returns the extensions of the recorded processor that this one has not.
func (r *Recording) Lacks() []string {
	own := OwnExtensions()
	if own == nil {
		return nil // they are not known
	}
	return r.lacks(own)
}
