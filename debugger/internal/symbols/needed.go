package symbols

import (
	"debug/elf"
	"path/filepath"
)

// Complete reports whether all libraries are there that the images were linked
// with: while the program is being loaded they are not, and names may be missing
// that will be known later.
func (p *Program) Complete() bool {
	images := p.Images()
	there := map[string]bool{}
	for _, im := range images {
		there[filepath.Base(im.Path)] = true
		for _, name := range im.main.dynamic(elf.DT_SONAME) {
			there[name] = true
		}
	}
	for _, im := range images {
		for _, name := range im.main.dynamic(elf.DT_NEEDED) {
			if !there[filepath.Base(name)] {
				return false
			}
		}
	}
	return true
}

// dynamic returns texts of the dynamic section; none when it is damaged.
func (o *elfFile) dynamic(tag elf.DynTag) []string {
	var out []string
	_ = shield(func() (err error) { // damaged: nothing is known to be needed
		out, err = o.f.DynString(tag)
		return err
	})
	return out
}
