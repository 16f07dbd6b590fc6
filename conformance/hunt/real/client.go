package real

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/schedstep/schedstep/conformance/fakeapi"
	"github.com/schedstep/schedstep/conformance/hunt"
)

// client has requests about pods wait for the hunter. Whatever else is requested is accepted, and nothing comes of it.
// A fake Clientset cannot wait: it answers one request after the other.
type client struct {
	*fake.Clientset
	api *hunt.API
}

func clientOf(api *hunt.API) kubernetes.Interface {
	return client{(&fakeapi.Writes{}).Client(), api}
}

// CoreV1 is the client of pods.
func (c client) CoreV1() typed.CoreV1Interface { return core{c.Clientset.CoreV1(), c.api} }

type core struct {
	typed.CoreV1Interface
	api *hunt.API
}

func (c core) Pods(namespace string) typed.PodInterface {
	return pods{c.CoreV1Interface.Pods(namespace), namespace, c.api}
}

type pods struct {
	typed.PodInterface
	namespace string
	api       *hunt.API
}

func (p pods) Bind(_ context.Context, binding *corev1.Binding, _ metav1.CreateOptions) error {
	return p.api.Do(hunt.Call{
		Verb: "bind", Pod: p.namespace + "/" + binding.Name, UID: binding.UID, Node: binding.Target.Name,
	})
}

func (p pods) Delete(_ context.Context, name string, _ metav1.DeleteOptions) error {
	return p.api.Do(hunt.Call{Verb: "delete", Pod: p.namespace + "/" + name})
}

func (p pods) Patch(
	_ context.Context, name string, _ types.PatchType, patch []byte, _ metav1.PatchOptions, _ ...string,
) (*corev1.Pod, error) {
	merge := func(pod *corev1.Pod) error {
		return merged(pod, patch, func(original, patch []byte) ([]byte, error) {
			return strategicpatch.StrategicMergePatch(original, patch, corev1.Pod{})
		})
	}
	return &corev1.Pod{}, p.api.Do(hunt.Call{Verb: "patch", Pod: p.namespace + "/" + name, Patch: merge})
}

func split(key string) (namespace, name string) {
	namespace, name, _ = strings.Cut(key, "/")
	return namespace, name
}
