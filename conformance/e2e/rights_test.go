//go:build e2e

package e2e_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// right is one thing that a client requested of an API server, or may request.
type right struct {
	Verb, Group, Resource string // the resource with its part
	Name                  string // where a role names objects; "": all
}

func (r right) String() string {
	return strings.TrimSpace(r.Verb + " " + strings.TrimSuffix(r.Resource+"."+r.Group, ".") + " " + r.Name)
}

// granted are the rights of the ClusterRole in a manifest of deploy, one by one. It is the role that auth --role
// prints, which a test of cmd holds.
func granted(t *testing.T, manifest string) []right {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", manifest))
	if err != nil {
		t.Fatal(err)
	}
	var rights []right
	for _, document := range bytes.Split(text, []byte("\n---\n")) {
		var role rbacv1.ClusterRole
		if yaml.Unmarshal(document, &role) != nil || role.Kind != "ClusterRole" {
			continue
		}
		for _, rule := range role.Rules {
			for _, verb := range rule.Verbs {
				for _, resource := range rule.Resources {
					name := strings.Join(rule.ResourceNames, "")
					rights = append(rights, right{verb, rule.APIGroups[0], resource, name})
				}
			}
		}
	}
	return rights
}

// askedFor are the rights that the requests of a service account needed, by the audit log, each once, and those that
// were refused. Every account may review its own rights and read the server's version.
func (r *running) askedFor(account string) (asked, refused []right) {
	r.Helper()
	log, err := os.ReadFile(r.plane.AuditLog())
	r.make(nil, err)
	for line := range bytes.Lines(log) {
		var e audited
		if json.Unmarshal(line, &e) != nil || e.User.Username != "system:serviceaccount:schedstep:"+account ||
			e.ObjectRef.Resource == "" || strings.HasPrefix(e.ObjectRef.Resource, "selfsubject") {
			continue
		}
		one := right{Verb: e.Verb, Group: e.ObjectRef.APIGroup, Resource: e.ObjectRef.Resource}
		if e.ObjectRef.Subresource != "" {
			one.Resource += "/" + e.ObjectRef.Subresource
		}
		if one.Resource == "leases" && one.Verb != "create" {
			one.Name = e.ObjectRef.Name
		}
		if !slices.Contains(asked, one) {
			asked = append(asked, one)
		}
		if e.ResponseStatus.Code == 403 && !slices.Contains(refused, one) {
			refused = append(refused, one)
		}
	}
	return asked, refused
}

// beyondTheRole is requested without being in a role: where the account lacks it, schedstep prints that it plays the
// default configuration.
var beyondTheRole = []right{{Verb: "get", Resource: "configmaps"}}

// neverAsked are the rights of a role that no request here needs, with the reason why they are in it.
var neverAsked = map[string]string{
	"patch resourceclaims/binding.resource.k8s.io": "the API server asks for it when an allocation is written",
	"delete resourceclaims.resource.k8s.io":        "a claim made for a pod is taken back when the pod then fails",
}

// What a service account of deploy requests is in its role, and what is in its role is requested. shadow.yaml is for
// all that read: run, explain, record, attach and shadow.
func TestTheRolesAreWhatIsAskedFor(t *testing.T) {
	r := start(t, 3, "--feature-gates="+gangGates, "--runtime-config=scheduling.k8s.io/v1beta1=true")
	r.plugged()
	r.showsItsScheduler()
	reads, drives := r.deployed("shadow"), r.deployed("drive")
	shadow := r.run("following ", "shadow", "--kubeconfig", reads, "--fail-on", "never")
	record := r.run("following ", "record", "--kubeconfig", reads, "-o", r.file("rights.jsonl"))
	drive := r.run("driving:", "drive", "--kubeconfig", drives, "-o", "jsonl", "--feature-gates", gangGates)
	r.everyWrite()
	for _, line := range []string{"run -A --fail-on never", "explain big -n shop", "attach --plain -n shop"} {
		if code, out, told := r.output(append(strings.Fields(line), "--kubeconfig", reads)...); code != 0 && code != 3 {
			t.Errorf("%s: %d %s%s", line, code, out, told)
		}
	}
	shadow.stop(t)
	record.stop(t)
	drive.stopUnrefused(t)
	r.usesItsRole("schedstep-shadow", granted(t, "shadow.yaml"), func(one right) string {
		if one.Resource == "events" { // run and explain list all else
			return byAWatch(one)
		}
		return ""
	})
	r.usesItsRole("schedstep-drive", granted(t, "drive.yaml"), func(one right) string {
		return cmp.Or(byAWatch(one), neverAsked[one.String()])
	})
}

// byAWatch explains why the accounts that follow a cluster do not list: this server has WatchList, and their role is
// for servers without it too.
func byAWatch(one right) string {
	if one.Verb != "list" {
		return ""
	}
	return "this server sends lists as a watch; others do not"
}

// usesItsRole compares the requests of an account with its role. except explains why a right that was never used is in
// the role; "": it should not be; nil: every right has to be used.
func (r *running) usesItsRole(account string, role []right, except func(right) string) {
	r.Helper()
	asked, refused := r.askedFor(account)
	for _, one := range asked {
		if !slices.Contains(role, one) && !slices.Contains(beyondTheRole, one) {
			r.Errorf("%s asks to %s, which is not in its role", account, one)
		}
	}
	for _, one := range refused {
		if !slices.Contains(beyondTheRole, one) {
			r.Errorf("%s may not %s", account, one)
		}
	}
	used, unused := 0, map[string][]string{}
	for _, one := range role {
		if slices.Contains(asked, one) {
			used++
			continue
		}
		why := except(one)
		if why == "" {
			r.Errorf("%s may %s, and never asks for it", account, one)
			continue
		}
		unused[why] = append(unused[why], one.String())
	}
	for why, rights := range unused {
		r.Logf("%s did not ask to %s: %s", account, strings.Join(rights, ", "), why)
	}
	r.Logf("%s asked for %d of the %d rights of its role, and for %d others", account, used, len(role), len(asked)-used)
	if used < len(role)/2 {
		r.Errorf("%s asked for too little to compare", account)
	}
}

// showsItsScheduler makes the pod of a kube-scheduler whose configuration is in a config map, as some clusters have it.
func (r *running) showsItsScheduler() {
	r.Helper()
	r.make(r.client.CoreV1().Pods("kube-system").Create(r.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "kube-scheduler-n00", Namespace: "kube-system"},
		Spec: corev1.PodSpec{
			NodeName: "n00",
			Volumes: []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{
				ConfigMap: &corev1.ConfigMapVolumeSource{
					LocalObjectReference: corev1.LocalObjectReference{Name: "scheduler"},
				},
			}}},
			Containers: []corev1.Container{{
				Name: "c", Image: "x", Command: []string{"kube-scheduler", "--config=/etc/config/scheduler.yaml"},
				VolumeMounts: []corev1.VolumeMount{{Name: "config", MountPath: "/etc/config"}},
			}},
		},
	}, metav1.CreateOptions{}))
}

// everyWrite has a driver of schedstep write all that it can be brought to write, and comes back when it has.
func (r *running) everyWrite() {
	r.Helper()
	r.volumes()
	r.gpus()
	r.make(r.client.SchedulingV1beta1().PodGroups("shop").Create(r.Context(), &schedulingv1beta1.PodGroup{
		ObjectMeta: metav1.ObjectMeta{Name: "gang"}, Spec: schedulingv1beta1.PodGroupSpec{
			SchedulingPolicy: schedulingv1beta1.PodGroupSchedulingPolicy{
				Gang: &schedulingv1beta1.GangSchedulingPolicy{MinCount: 2},
			},
		},
	}, metav1.CreateOptions{}))
	r.member("gang", 0, 100)
	r.member("gang", 1, 100)
	r.await("the gang is bound", func(ctx context.Context) bool { return r.bound(ctx, "gang-") == 2 })
	r.evicts()
	r.repeats()
}

// volumes has one claim set aside a volume, and another one name the node where its volume is to be made.
func (r *running) volumes() {
	r.Helper()
	r.class("local", "kubernetes.io/no-provisioner")
	r.class("made", "example.com/maker")
	r.volume("disk", "local", "")
	r.claim("data", "local", "static")
	r.await("the volume is set aside", func(ctx context.Context) bool {
		v, err := r.client.CoreV1().PersistentVolumes().Get(ctx, "disk", metav1.GetOptions{})
		return err == nil && v.Spec.ClaimRef != nil
	})
	r.bind("data", "disk")
	r.claim("more", "made", "dynamic")
	r.await("the claim names a node", func(ctx context.Context) bool {
		c, err := r.client.CoreV1().PersistentVolumeClaims("shop").Get(ctx, "more", metav1.GetOptions{})
		return err == nil && c.Annotations["volume.kubernetes.io/selected-node"] != ""
	})
}

// gpus has one pod claim a device by name, and another one by requesting a resource, for which the scheduler makes a
// claim.
func (r *running) gpus() {
	r.Helper()
	api, on, kind, claim := r.client.ResourceV1(), "n01", "example.com/gpu", "card"
	r.make(api.DeviceClasses().Create(r.Context(), &resourcev1.DeviceClass{
		ObjectMeta: metav1.ObjectMeta{Name: "gpu"}, Spec: resourcev1.DeviceClassSpec{ExtendedResourceName: &kind},
	}, metav1.CreateOptions{}))
	r.make(api.ResourceSlices().Create(r.Context(), &resourcev1.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: "slice"}, Spec: resourcev1.ResourceSliceSpec{
			Driver: "gpu.example.com", NodeName: &on, Devices: []resourcev1.Device{{Name: "gpu-0"}, {Name: "gpu-1"}},
			Pool: resourcev1.ResourcePool{Name: on, ResourceSliceCount: 1},
		},
	}, metav1.CreateOptions{}))
	r.make(api.ResourceClaims("shop").Create(r.Context(), &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: claim},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{
			Name: "one", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu"},
		}}}},
	}, metav1.CreateOptions{}))
	r.wanted("claims", "schedstep", 100, func(p *corev1.Pod) {
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &claim}}
	})
	r.wanted("asks", "schedstep", 100, func(p *corev1.Pod) {
		one := resource.MustParse("1")
		p.Spec.Containers[0].Resources.Limits = corev1.ResourceList{corev1.ResourceName(kind): one}
		p.Spec.Containers[0].Resources.Requests[corev1.ResourceName(kind)] = one
	})
	r.await("both have a device", func(context.Context) bool {
		return r.isBound("claims")(r.Context()) && r.isBound("asks")(r.Context())
	})
}

// evicts has an important pod take the place of others.
func (r *running) evicts() {
	r.Helper()
	r.make(r.client.SchedulingV1().PriorityClasses().Create(r.Context(), &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000,
	}, metav1.CreateOptions{}))
	for _, name := range []string{"low-0", "low-1", "low-2"} {
		r.wanted(name, "schedstep", 6000, nil)
		r.await(name+" is bound", r.isBound(name))
	}
	r.wanted("high", "schedstep", 6000, func(p *corev1.Pod) { p.Spec.PriorityClassName = "high" })
	r.await("high is bound", r.isBound("high"))
}

// repeats has a pod get the same reason for having no node twice: the event of the first time is changed.
func (r *running) repeats() {
	r.Helper()
	r.wanted("big", "schedstep", 90000, nil)
	r.await("it is told why", r.isTold("big"))
	r.make(nil, r.client.CoreV1().Pods("shop").Delete(r.Context(), "high", metav1.DeleteOptions{}))
	r.await("the event says that it was so again", func(ctx context.Context) bool {
		events, err := r.client.EventsV1().Events("shop").List(ctx, metav1.ListOptions{
			FieldSelector: "reason=FailedScheduling,reportingController=schedstep",
		})
		return err == nil && slices.ContainsFunc(events.Items, func(e eventsv1.Event) bool {
			return e.Regarding.Name == "big" && e.Series != nil
		})
	})
}
