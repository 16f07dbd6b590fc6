//go:build e2e

package e2e_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// deployed applies a manifest of deploy as users do, and returns a kubeconfig of its service account.
func (r *running) deployed(name string) string {
	r.Helper()
	manifest := filepath.Join("..", "..", "deploy", name+".yaml")
	if code, out, told := r.kubectl(
		r.plane.Kubeconfig(), "apply", "--server-side", "--validate=strict", "-f", manifest,
	); code != 0 || !strings.Contains(out, "serviceaccount/schedstep-"+name+" serverside-applied") {
		r.Fatalf("%s: %d %s%s", manifest, code, out, told)
	}
	r.mayList("system:serviceaccount:schedstep:schedstep-" + name)
	token, err := r.client.CoreV1().ServiceAccounts("schedstep").CreateToken(
		r.Context(), "schedstep-"+name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{},
	)
	r.make(nil, err)
	return r.kubeconfig(name+".kubeconfig", func(c *clientcmdapi.Config) {
		c.AuthInfos["admin"] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	})
}

// The manifests of deploy give enough rights for what they run, and no more than auth lists.
func TestTheManifestsOfDeployGiveEnough(t *testing.T) {
	r := start(t, 2)
	r.plugged()
	shadow, drive := r.deployed("shadow"), r.deployed("drive")
	for kubeconfig, args := range map[string][]string{shadow: {"auth"}, drive: {"auth", "--drive"}} {
		if code, out, told := r.output(append(args, "--kubeconfig", kubeconfig)...); code != 0 {
			t.Errorf("%v: %d %s%s", args, code, out, told)
		}
	}
	if code, _, _ := r.output("auth", "--drive", "--kubeconfig", shadow); code == 0 {
		t.Error("the role of shadow is enough to drive")
	}
	watch := r.run("following ", "shadow", "--kubeconfig", shadow, "-o", "markdown", "--fail-on", "never")
	d := r.run("driving:", "drive", "--kubeconfig", drive, "-o", "jsonl")
	r.wanted("web", "schedstep", 100, nil)
	r.wanted("big", "schedstep", 90000, nil)
	r.await("the pod is bound", r.isBound("web"))
	r.await("the other is told why", r.isTold("big"))
	if text := d.stop(t); strings.Contains(text, "forbidden") || strings.Contains(text, `"fault"`) {
		t.Errorf("drive says\n%s", text)
	}
	if text := watch.stop(t); !strings.Contains(text, "kube-scheduler") || watch.says("not read:") != "" {
		t.Errorf("shadow says\n%s%s", text, watch.text(watch.told))
	}
}

// isTold reports whether a pod has a condition that explains why it has no node.
func (r *running) isTold(name string) func(context.Context) bool {
	return func(context.Context) bool { p := r.pod(name); return p != nil && len(p.Status.Conditions) > 0 }
}
