package symbols

import (
	"debug/elf"
	"path/filepath"
)

// Complete reports whether all libraries that the images were linked with are
// mapped. They are not while the program is being loaded; names may then be
// missing that will be known later.
func (p *Program) Complete() bool {
	images := p.Images()
	there := map[string]bool{}
	for _, im := range images {
		there[filepath.Base(im.Path)] = true
		for _, name := range im.main.Dynamic(elf.DT_SONAME) {
			there[name] = true
		}
	}
	for _, im := range images {
		for _, name := range im.main.Dynamic(elf.DT_NEEDED) {
			if !there[filepath.Base(name)] {
				return false
			}
		}
	}
	return true
}
