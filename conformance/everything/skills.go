package everything

import (
	"embed"
	"io/fs"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/skill"
)

//go:embed skills
var skillFiles embed.FS

// skills are two skills, one with a folder.
func skills() mcp.ResourceSource {
	files, err := fs.Sub(skillFiles, "skills")
	if err != nil {
		panic(err) // the folder is embedded
	}
	source, err := skill.Source("everything", "", files)
	if err != nil {
		panic(err) // a skill of ours is wrong
	}
	return source
}
