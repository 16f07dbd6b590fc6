package e2e

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/schedstep/schedstep/core/cluster"
)

// API writes objects of a workload to the API server. Every write returns the object as the scheduler will see it.
type API struct {
	dynamic dynamic.Interface
	typed   kubernetes.Interface
}

func newAPI(c *rest.Config) (*API, error) {
	d, err := dynamic.NewForConfig(c)
	if err != nil {
		return nil, err
	}
	binary := rest.CopyConfig(c)
	binary.ContentType = runtime.ContentTypeProtobuf
	t, err := kubernetes.NewForConfig(binary)
	if err != nil {
		return nil, err
	}
	return &API{d, t}, nil
}

func (a *API) at(o cluster.Object) (dynamic.ResourceInterface, *unstructured.Unstructured, error) {
	kind, resource, err := kindOf(o)
	if err != nil {
		return nil, nil, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, nil, err
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(kind)
	if o.GetNamespace() == "" {
		return a.dynamic.Resource(resource), u, nil
	}
	return a.dynamic.Resource(resource).Namespace(o.GetNamespace()), u, nil
}

// Create makes an object, and then writes its status if it has one: an API server ignores the status of a new object.
func (a *API) Create(ctx context.Context, o cluster.Object) ([]cluster.Event, error) {
	at, want, err := a.at(complete(o))
	if err != nil {
		return nil, err
	}
	made, err := create(ctx, at, want)
	if err != nil {
		return nil, fmt.Errorf("create %s %s: %w", want.GetKind(), cluster.Key(o), err)
	}
	events := []cluster.Event{{Action: cluster.Add}}
	if events[0].Object, err = typed(made.Object); err != nil {
		return nil, err
	}
	wanted, _ := want.Object["status"].(map[string]any)
	if _, isPod := o.(*corev1.Pod); isPod || empty(wanted) {
		return events, nil
	}
	made.Object["status"] = wanted
	more, err := a.write(ctx, at, status, made)
	return append(events, more...), err
}

// How long to wait until admission knows a class that was made just before, and how often to try.
const (
	admissionTime = 2 * time.Minute
	retryTime     = 50 * time.Millisecond
)

// create makes an object. Admission knows classes from informers of its own, so that it may not know one yet.
func create(
	ctx context.Context, at dynamic.ResourceInterface, want *unstructured.Unstructured,
) (*unstructured.Unstructured, error) {
	for until := time.Now().Add(admissionTime); ; {
		made, err := at.Create(ctx, want, metav1.CreateOptions{})
		if err == nil || !apierrors.IsForbidden(err) || time.Now().After(until) {
			return made, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(retryTime):
		}
	}
}

// empty reports whether nothing is set in a status.
func empty(status map[string]any) bool {
	for _, v := range status {
		switch v := v.(type) {
		case map[string]any:
			if !empty(v) {
				return false
			}
		case int64:
			if v != 0 {
				return false
			}
		case string:
			if v != "" {
				return false
			}
		case nil:
		default:
			return false
		}
	}
	return true
}

// part is the part of an object that is written: all of it, or its status.
type part bool

const (
	main   part = false
	status part = true
)

func (a *API) write(
	ctx context.Context, at dynamic.ResourceInterface, p part, u *unstructured.Unstructured,
) ([]cluster.Event, error) {
	var now *unstructured.Unstructured
	var err error
	if p == status {
		now, err = at.UpdateStatus(ctx, u, metav1.UpdateOptions{})
	} else {
		now, err = at.Update(ctx, u, metav1.UpdateOptions{})
	}
	if err != nil {
		return nil, fmt.Errorf("update %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	o, err := typed(now.Object)
	return []cluster.Event{{Action: cluster.Update, Object: o}}, err
}

// Update writes all of an object but its status.
func (a *API) Update(ctx context.Context, o cluster.Object) ([]cluster.Event, error) {
	at, u, err := a.at(o)
	if err != nil {
		return nil, err
	}
	return a.write(ctx, at, main, u)
}

// updateStatus writes an object's status.
func (a *API) updateStatus(ctx context.Context, o cluster.Object) ([]cluster.Event, error) {
	at, u, err := a.at(o)
	if err != nil {
		return nil, err
	}
	return a.write(ctx, at, status, u)
}

// Find reads an object again.
func (a *API) Find(ctx context.Context, o cluster.Object) (cluster.Object, error) {
	at, _, err := a.at(o)
	if err != nil {
		return nil, err
	}
	now, err := at.Get(ctx, o.GetName(), metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", cluster.Key(o), err)
	}
	return typed(now.Object)
}

// Delete takes an object away at once.
func (a *API) Delete(ctx context.Context, o cluster.Object) ([]cluster.Event, error) {
	at, _, err := a.at(o)
	if err != nil {
		return nil, err
	}
	now := int64(0)
	if err := at.Delete(ctx, o.GetName(), metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
		return nil, fmt.Errorf("delete %s: %w", cluster.Key(o), err)
	}
	return []cluster.Event{{Action: cluster.Delete, Object: o}}, nil
}

// Pods are all pods, by key.
func (a *API) Pods(ctx context.Context) (map[string]*corev1.Pod, error) {
	list, err := a.typed.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	pods := make(map[string]*corev1.Pod, len(list.Items))
	for i := range list.Items {
		pods[cluster.Key(&list.Items[i])] = &list.Items[i]
	}
	return pods, nil
}

// dump writes every kind's list as the API server sends it, a file for each kind, as kubectl get --raw would.
func (a *API) dump(ctx context.Context, folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for _, kind := range slices.Sorted(maps.Keys(resources)) {
		r := resources[kind]
		path := "/api/v1/" + r.Resource
		if r.Group != "" {
			path = "/apis/" + r.Group + "/" + r.Version + "/" + r.Resource
		}
		list, err := a.typed.Discovery().RESTClient().Get().AbsPath(path).SetHeader("Accept", "application/json").DoRaw(ctx)
		if err != nil {
			return fmt.Errorf("dump of %s: %w", r.Resource, err)
		}
		if err := os.WriteFile(filepath.Join(folder, r.Resource+".json"), list, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// version is the version that the API server reports.
func (a *API) version() (string, error) {
	v, err := a.typed.Discovery().ServerVersion()
	if err != nil {
		return "", err
	}
	return v.GitVersion, nil
}
