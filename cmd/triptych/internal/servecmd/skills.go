package servecmd

import (
	"net/http"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/mcp/skill"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/transport/routes"
)

// forever is the time for which a version of a skill may be kept.
const forever = 365 * 24 * time.Hour

// skillRoutes are the skills that everybody may install, with --public-skills.
func (s *server) skillRoutes() ([]routes.Route, error) {
	if s.flags.publicSkills == "" {
		return nil, nil
	}
	skills, err := s.app.Configs.Rulesets.PublicSkills(s.flags.publicSkills)
	if err != nil {
		return nil, cmderr.UsageErrorf("--public-skills: %v", err)
	}
	return s.forOurHosts(publicSkillRoutes(skills)), nil
}

func publicSkillRoutes(skills *rulesets.PublicSkills) []routes.Route {
	index := publicDocument("application/json", time.Minute, always(func(r *http.Request) ([]byte, error) { return skills.Index(r.Context()) }))
	file := func(r *http.Request) (int, []byte, error) {
		data, ok, err := skills.Artifact(r.Context(), r.PathValue("name"), r.PathValue("version"), r.PathValue("file"))
		if err == nil && !ok {
			return http.StatusNotFound, []byte("there is no such version of a public skill\n"), nil
		}
		return http.StatusOK, data, err
	}
	text, archive := publicDocument("text/markdown; charset=utf-8", forever, file), publicDocument("application/zip", forever, file)
	artifact := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("file") == skill.MainFile {
			text.ServeHTTP(w, r)
			return
		}
		archive.ServeHTTP(w, r)
	})
	return slices.Concat(
		readable(rulesets.PublicSkillsPath+"/index.json", index),
		readable(rulesets.PublicSkillsPath+"/{name}/{version}/{file}", artifact),
	)
}
