//go:build unix

package scale_test

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The example for Kubernetes is YAML of the kind that it says, and the program has every
// flag in it.
func TestKubernetesExample(t *testing.T) {
	var set struct {
		Kind string
		Spec struct {
			ServiceName string `yaml:"serviceName"`
			Template    struct {
				Spec struct {
					Containers []struct {
						Args           []string
						ReadinessProbe struct {
							HTTPGet struct{ Path string } `yaml:"httpGet"`
						} `yaml:"readinessProbe"`
						VolumeMounts []struct {
							Name      string
							MountPath string `yaml:"mountPath"`
						} `yaml:"volumeMounts"`
					}
				}
			}
			VolumeClaimTemplates []struct{ Metadata struct{ Name string } } `yaml:"volumeClaimTemplates"`
		}
	}
	if err := yaml.Unmarshal([]byte(documented(t, "yaml")), &set); err != nil {
		t.Fatal(err)
	}
	containers := set.Spec.Template.Spec.Containers
	if set.Kind != "StatefulSet" || set.Spec.ServiceName == "" || len(containers) != 1 || containers[0].ReadinessProbe.HTTPGet.Path != "/readyz" {
		t.Fatalf("%+v", set)
	}
	claims := set.Spec.VolumeClaimTemplates
	if mounts := containers[0].VolumeMounts; len(claims) != 1 || len(mounts) != 2 || mounts[1].Name != claims[0].Metadata.Name || mounts[1].MountPath != "/data" {
		t.Errorf("the data folder of the image, /data, does not stay: %+v", set)
	}
	var help string
	for _, args := range [][]string{{"serve", "--help"}, {"help", "settings", "serve"}} {
		text, _, err := run(t, t.TempDir(), "", args...)
		if err != nil {
			t.Fatal(err)
		}
		help += text
	}
	for _, arg := range containers[0].Args {
		if strings.HasPrefix(arg, "--") && !strings.Contains(help, arg+" ") {
			t.Errorf("serve has no flag %s", arg)
		}
	}
}

// The example for Caddy is a site with a proxy whose blocks end.
func TestCaddyExample(t *testing.T) {
	text, depth := documented(t, "caddyfile"), 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasSuffix(line, "{") {
			depth++
		}
		if line == "}" {
			depth--
		}
		if depth < 0 {
			t.Fatal("a block ends that has not begun")
		}
	}
	for _, word := range []string{"reverse_proxy ", "health_uri /readyz", "flush_interval -1"} {
		if !strings.Contains(text, word) {
			t.Errorf("it has no %s", word)
		}
	}
	if depth != 0 {
		t.Error("a block does not end")
	}
}
