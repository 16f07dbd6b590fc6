package etcd

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	storagev1beta1 "k8s.io/api/storage/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/history"
	"github.com/schedstep/schedstep/replay/source/importer"
)

// older are the types of versions that API servers once stored.
var older = olderTypes()

func olderTypes() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		policyv1beta1.AddToScheme, resourcev1alpha3.AddToScheme, resourcev1beta1.AddToScheme,
		resourcev1beta2.AddToScheme, schedulingv1alpha3.AddToScheme, storagev1beta1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return scheme
}

// envelope begins a value in protobuf.
var envelope = []byte("k8s\x00")

var errValue = phrase.Errorf("the value cannot be decoded")

// decode makes an object of a value: protobuf in Kubernetes' envelope, or JSON.
func decode(value []byte, whole bool) (o cluster.Object, err error) {
	defer func() {
		if recover() != nil { // the decoders of generated types trust lengths
			o, err = nil, errValue
		}
	}()
	rest, is := bytes.CutPrefix(value, envelope)
	if !is {
		return importer.Decode(value, whole)
	}
	var unknown runtime.Unknown
	if unknown.Unmarshal(rest) != nil {
		return nil, errValue
	}
	gv, err := schema.ParseGroupVersion(unknown.APIVersion)
	if err != nil {
		return nil, errValue
	}
	typed := blank(gv.WithKind(unknown.Kind))
	message, is := typed.(interface{ Unmarshal(raw []byte) error })
	if !is || message.Unmarshal(unknown.Raw) != nil {
		return nil, errValue
	}
	typed.GetObjectKind().SetGroupVersionKind(gv.WithKind(unknown.Kind))
	defaults(typed)
	raw, err := json.Marshal(typed)
	if err != nil {
		return nil, errValue
	}
	return importer.Decode(raw, whole)
}

// blank is an empty object of a version.
func blank(gvk schema.GroupVersionKind) runtime.Object {
	if row := cluster.RowOf(cluster.Kind(gvk.Kind)); row != nil && row.GroupVersion() == gvk.GroupVersion() {
		return row.New()
	}
	if o, err := older.New(gvk); err == nil {
		return o
	}
	return nil
}

// defaults are those that an API server gives an object when it reads it, as far as the stored form lacks them.
func defaults(o runtime.Object) {
	if claim, is := o.(*corev1.PersistentVolumeClaim); is && claim.Status.Phase == "" {
		claim.Status.Phase = corev1.ClaimPending
	}
}

// lease reports whether a key is a lease, and takes its time: the only clock that etcd has.
func (s *Store) lease(path string, value []byte, revision uint64) bool {
	if !strings.Contains(path, "/leases/") {
		return false
	}
	rest, is := bytes.CutPrefix(value, envelope)
	if !is {
		return true
	}
	var unknown runtime.Unknown
	var lease coordinationv1.Lease
	if unknown.Unmarshal(rest) != nil || lease.Unmarshal(unknown.Raw) != nil || lease.Spec.RenewTime == nil {
		return true
	}
	s.Beats = append(s.Beats, history.Beat{Revision: revision, At: lease.Spec.RenewTime.UTC().Truncate(time.Microsecond)})
	return true
}
