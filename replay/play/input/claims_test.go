package input_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play/input"
)

// TestEachPodGetsAClaimOfItsTemplate plays three pods that want one device each where two devices are, with the objects
// in every version of their API.
func TestEachPodGetsAClaimOfItsTemplate(t *testing.T) {
	text, err := os.ReadFile("testdata/claim_template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	flat := strings.NewReplacer(
		"exactly: {deviceClassName: gpu.example.com}", "deviceClassName: gpu.example.com",
		"[{name: gpu-0}, {name: gpu-1}]", "[{name: gpu-0, basic: {}}, {name: gpu-1, basic: {}}]",
	)
	for version, manifest := range map[string]string{
		"v1": string(text), "v1beta2": string(text), "v1beta1": flat.Replace(string(text)),
		"v1alpha3": flat.Replace(string(text)),
	} {
		manifest = strings.ReplaceAll(manifest, "resource.k8s.io/v1\n", "resource.k8s.io/"+version+"\n")
		in := readable(t, input.Options{}, manifest)
		if all := fmt.Sprint(in.Notices); strings.Contains(all, "left out") ||
			!strings.Contains(all, "made 3 ResourceClaims of templates") {
			t.Errorf("%s: it says %s", version, all)
		}
		p := in.Play(config.Default(), 0, trace.Reported)
		for more := true; more; {
			_, more = p.Step()
		}
		placed := 0
		p.Scheduler().State().EachPod(func(p *cluster.Pod) bool {
			if p.NodeName != "" {
				placed++
			}
			return true
		})
		if placed != 2 {
			t.Errorf("%s: %d pods are placed, there are devices for 2", version, placed)
		}
	}
}

func TestAClaimOfATemplateGoesWithItsPodAlone(t *testing.T) {
	text, err := os.ReadFile("testdata/claim_template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	in := readable(t, input.Options{}, string(text))
	p := in.Play(config.Default(), 0, trace.Reported)
	for more := true; more; {
		_, more = p.Step()
	}
	p.Deliver(cluster.Event{Action: cluster.Delete, Object: podNamed(t, p.Scheduler().State(), "default/infer-1")})
	for more := true; more; {
		_, more = p.Step()
	}
	for _, key := range []string{"default/infer-2", "default/infer-3"} {
		if pod, there := p.Scheduler().State().Pod(key); !there || pod.NodeName != "w1" {
			t.Errorf("%s is not on w1 after infer-1 gave its device back", key)
		}
	}
}

func podNamed(t *testing.T, state *cluster.State, key string) *corev1.Pod {
	t.Helper()
	p, there := state.Pod(key)
	if !there {
		t.Fatalf("there is no %s", key)
	}
	return p.API
}
