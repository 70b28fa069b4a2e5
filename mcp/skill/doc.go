// Package skill reads the format of Agent Skills (https://agentskills.io) for servers
// that serve skills by the extension of SEP-2640: a skill is a folder with a SKILL.md,
// which begins with YAML front matter, and any other files.
//
//	skill://<path>/SKILL.md             the last segment of the path is the skill's name
//	skill://<path>/references/FORMS.md  every file is a resource of its own
//
// [Source] serves skills that are part of a program. For skills that a family stores,
// [Manifest] makes the entry of a list from the files, and [Children] lists a folder.
//
// A folder that breaks a rule of the format, or is larger than every host accepts
// ([MaxFiles], [MaxBytes]), is an error that says why.
package skill
