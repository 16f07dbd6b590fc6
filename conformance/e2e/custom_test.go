//go:build e2e

package e2e_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// quotaDefinition makes the custom resource of examples/quota part of the API.
const quotaDefinition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"quotas.quota.example.com"},"spec":{"group":"quota.example.com","scope":"Namespaced",
"names":{"plural":"quotas","singular":"quota","kind":"Quota","listKind":"QuotaList"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
"x-kubernetes-preserve-unknown-fields":true}}}]}}`

const (
	definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	quotasPath  = "/apis/quota.example.com/v1/namespaces/shop/quotas"
)

// quotaOf is the quota of the namespace shop, and a version to replace.
func quotaOf(cpu, version string) []byte {
	text, err := json.Marshal(map[string]any{
		"apiVersion": "quota.example.com/v1", "kind": "Quota", "spec": map[string]string{"cpu": cpu},
		"metadata": map[string]string{"name": "cpu", "namespace": "shop", "resourceVersion": version},
	})
	if err != nil {
		panic(err)
	}
	return text
}

// limit gives the namespace shop a quota: a new one, or another in the place of the one that it has.
func (r *running) limit(cpu string) {
	r.Helper()
	client := r.client.CoreV1().RESTClient()
	at := quotasPath + "/cpu"
	text, err := client.Get().AbsPath(at).DoRaw(r.Context())
	if err != nil {
		r.make(nil, client.Post().AbsPath(quotasPath).SetHeader("Content-Type", "application/json").
			Body(quotaOf(cpu, "")).Do(r.Context()).Error())
		return
	}
	var now metav1.PartialObjectMetadata
	r.make(nil, json.Unmarshal(text, &now))
	r.make(nil, client.Put().AbsPath(at).SetHeader("Content-Type", "application/json").
		Body(quotaOf(cpu, now.ResourceVersion)).Do(r.Context()).Error())
}

// defineQuotas has the API server serve quotas.
func (r *running) defineQuotas() {
	r.Helper()
	client := r.client.CoreV1().RESTClient()
	r.make(nil, client.Post().AbsPath(definitions).SetHeader("Content-Type", "application/json").
		Body([]byte(quotaDefinition)).Do(r.Context()).Error())
	r.await("quotas are served", func(ctx context.Context) bool {
		return client.Get().AbsPath(quotasPath).Do(ctx).Error() == nil
	})
}

// TestAProgramWithPluginsReadsCustomResources has the program that "schedstep build" made be the scheduler of a real
// control plane with a plugin that decides by a custom resource, which is changed meanwhile.
func TestAProgramWithPluginsReadsCustomResources(t *testing.T) {
	r := start(t, 2)
	r.program = filepath.Join(programs(t), "schedstep-examples")
	r.defineQuotas()
	r.limit("1")
	settings := r.file("scheduler.yaml")
	text := append(configuration(t),
		"profiles:\n- schedulerName: schedstep\n  plugins: {multiPoint: {enabled: [{name: TeamQuota}]}}\n"...)
	r.make(nil, os.WriteFile(settings, text, 0o600))
	d := r.run("driving:", "drive", "--config", settings)
	r.wanted("one", "schedstep", 600, func(*corev1.Pod) {})
	r.await("one is bound", r.isBound("one"))
	r.wanted("two", "schedstep", 600, func(*corev1.Pod) {})
	r.await("two is over the quota", func(context.Context) bool {
		c := r.pod("two").Status.Conditions
		return len(c) > 0 && strings.Contains(c[0].Message, "namespace shop uses 600m of its quota of 1000m")
	})
	_, out, told := r.output("explain", "shop/two", "--config", settings)
	if !strings.Contains(out, "of its quota of 1000m") {
		t.Errorf("explain: %s%s", out, told)
	}
	r.limit("2")
	r.await("two is bound after the quota has grown", r.isBound("two"))
	d.stopUnrefused(t)
}
