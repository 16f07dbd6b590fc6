package live

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/internal/apiserver"
)

// What a Cluster sends goes through a guard, so that nothing can write but a Driver.
func TestAClusterThatNobodyDrivesRefusesToWrite(t *testing.T) {
	s := apiserver.New(t)
	s.Put(apiserver.Pod("web", ""))
	t.Setenv("KUBECONFIG", apiserver.Kubeconfig(t, s.URL()))
	c, err := NewFlags().Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client, err := c.client(corev1.SchemeGroupVersion)
	if err != nil {
		t.Fatal(err)
	}
	before := len(s.Requests())
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
		err := client.Verb(method).Namespace("shop").Resource("pods").Name("web").Do(t.Context()).Error()
		if err == nil || !strings.Contains(err.Error(), "only drive mode does") {
			t.Errorf("%s: %v", method, err)
		}
	}
	if sent := s.Requests()[before:]; len(sent) > 0 {
		t.Errorf("the server was sent %v", sent)
	}
}
