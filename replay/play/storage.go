package play

import (
	"maps"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	csitranslation "k8s.io/csi-translation-lib"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source"
)

// How long the volume controllers of a Simulated world take, in virtual time. Both are below the second after which
// kube-scheduler looks for the first time.
const (
	bindTime      = 100 * time.Millisecond // to bind a claim to a volume that is there, and to make the claim of a pod
	provisionTime = 500 * time.Millisecond // to make a volume, or to give up
)

// storage is what the volume controllers of a Simulated world have begun. It is replaced, never written.
type storage struct {
	busy      map[string]bool // keys of claims that are being bound or provisioned
	unmatched map[string]bool // keys of claims without a volume: tried again when a volume or a class is added
}

func (s *storage) mark(set *map[string]bool, key string, on bool) {
	if (*set)[key] == on {
		return
	}
	more := maps.Clone(*set)
	if more == nil {
		more = map[string]bool{}
	}
	if on {
		more[key] = true
	} else {
		delete(more, key)
	}
	*set = more
}

// See is what the controllers of the cluster do about an event that happened: claims get volumes, volumes are made,
// pods get the claims of their ephemeral volumes; then those that Manage named.
func (w *Simulated) See(e cluster.Event, known *cluster.State, now time.Time) Outcome {
	outcome := w.see(e, known, now)
	if w.managed == nil {
		return outcome
	}
	by := w.client(known, now)
	w.managed.See(e, by)
	more := by.outcome()
	return Outcome{Events: append(outcome.Events, more.Events...), Facts: append(outcome.Facts, more.Facts...)}
}

func (w *Simulated) see(e cluster.Event, known *cluster.State, now time.Time) Outcome {
	c := controllers{Simulated: w, known: known.Objects(), state: known, now: now}
	switch o := e.Object.(type) {
	case *corev1.PersistentVolumeClaim:
		if e.Action != cluster.Update {
			c.claimGone(cluster.Key(o))
		}
		if e.Action == cluster.Delete {
			c.reclaim(o)
			return Outcome{Events: c.events}
		}
		c.claim(cluster.Key(o))
	case *corev1.PersistentVolume:
		c.volume(e.Action, o)
	case *storagev1.StorageClass:
		c.retryUnmatched()
	case *corev1.Pod:
		w.seen(e.Action, o)
		c.pod(e.Action, o)
		if e.Action == cluster.Delete || isDone(o) {
			c.podDone(o)
		}
		found := w.kubelet(e, o, known, now)
		return Outcome{Events: append(c.events, found.Events...), Facts: found.Facts}
	}
	return Outcome{Events: c.events}
}

// controllers is the reaction to one event.
type controllers struct {
	*Simulated
	known  *cluster.Objects
	state  *cluster.State
	now    time.Time
	events []source.Timed
}

func (c *controllers) send(after time.Duration, action cluster.Action, o cluster.Object) {
	c.version++
	version := ownVersion + strconv.FormatInt(c.version, 10)
	o.SetResourceVersion(version)
	if action == cluster.Add && o.GetUID() == "" {
		o.SetUID(types.UID(version))
	}
	c.events = append(c.events, source.Timed{At: c.now.Add(after), Event: cluster.Event{Action: action, Object: o}})
}

// retryUnmatched tries again to find volumes for the claims that have none.
func (c *controllers) retryUnmatched() {
	for _, key := range slices.Sorted(maps.Keys(c.storage.unmatched)) {
		c.claim(key)
	}
}

func (c *controllers) claimGone(key string) {
	c.storage.mark(&c.storage.unmatched, key, false)
	c.storage.mark(&c.storage.busy, key, false)
}

// volume binds a volume that is set aside for a claim, and offers one that is free.
func (c *controllers) volume(action cluster.Action, v *corev1.PersistentVolume) {
	switch ref := v.Spec.ClaimRef; {
	case action == cluster.Delete:
	case ref != nil:
		c.claim(ref.Namespace + "/" + ref.Name)
	case v.Status.Phase == corev1.VolumeAvailable || v.Status.Phase == "" || v.Status.Phase == corev1.VolumePending:
		if v.Status.Phase != corev1.VolumeAvailable {
			free := v.DeepCopy()
			free.Status.Phase = corev1.VolumeAvailable
			c.send(0, cluster.Update, free)
			return
		}
		c.retryUnmatched()
	}
}

// claim does what there is to do for a claim, as the volume controller and an external provisioner would.
func (c *controllers) claim(key string) {
	claim, ok := c.known.VolumeClaims.Find(key)
	switch {
	case !ok || claim.DeletionTimestamp != nil || cluster.IsBound(claim):
		c.claimGone(key)
		return
	case c.storage.busy[key]:
		return
	}
	class, _ := c.known.StorageClasses.Find(cluster.ClaimClass(claim))
	waits := class != nil && class.VolumeBindingMode != nil &&
		*class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
	node, selected := claim.Annotations[cluster.AnnotationSelectedNode]
	volume := c.find(claim, waits)
	switch {
	case volume != nil:
		c.bind(claim, volume)
	case claim.Spec.VolumeName == "" && class != nil && cluster.MakesVolumes(class) && (!waits || selected):
		c.provision(claim, class, node)
	default:
		c.storage.mark(&c.storage.unmatched, key, !waits || claim.Spec.VolumeName != "")
		return
	}
	c.storage.mark(&c.storage.unmatched, key, false)
}

// find is the volume a claim is to be bound to: the one it names, one set aside for it, else, for a claim that need
// not wait for its consumer, the smallest free one that suits, the first by name among equals.
func (c *controllers) find(claim *corev1.PersistentVolumeClaim, waits bool) *corev1.PersistentVolume {
	if name := claim.Spec.VolumeName; name != "" {
		v, ok := c.known.Volumes.Find(name)
		if !ok || v.Spec.ClaimRef != nil && !cluster.IsFor(v, claim) {
			return nil
		}
		return v
	}
	selector, err := cluster.ClaimSelector(claim)
	if err != nil {
		return nil
	}
	var best, reserved *corev1.PersistentVolume
	c.known.EachVolumeFor(cluster.ClaimClass(claim), cluster.Key(claim), func(parsed *cluster.Volume) bool {
		v, ok := c.known.Volumes.Find(parsed.API.Name)
		switch {
		case !ok || !cluster.Suits(v, claim) || !cluster.HasAttributes(v, claim):
		case cluster.IsFor(v, claim):
			reserved = v
		case waits || v.Spec.ClaimRef != nil || v.Status.Phase != corev1.VolumeAvailable:
		case cluster.HasModes(v, claim) && selector.Matches(labels.Set(v.Labels)) && (best == nil || smaller(v, best)):
			best = v
		}
		return reserved == nil
	})
	if reserved != nil {
		return reserved
	}
	return best
}

func smaller(a, b *corev1.PersistentVolume) bool {
	x, y := a.Spec.Capacity[corev1.ResourceStorage], b.Spec.Capacity[corev1.ResourceStorage]
	return x.Cmp(y) < 0
}

// bind makes claim and volume one another's.
func (c *controllers) bind(claim *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) {
	c.storage.mark(&c.storage.busy, cluster.Key(claim), true)
	bound := v.DeepCopy()
	bound.Status.Phase = corev1.VolumeBound
	if !cluster.IsFor(v, claim) {
		bound.Annotations = with(bound.Annotations, cluster.AnnotationBoundByController, "yes")
	}
	bound.Spec.ClaimRef = reference(claim)
	c.send(bindTime, cluster.Update, bound)
	c.send(bindTime, cluster.Update, boundTo(claim, bound))
}

func reference(claim *corev1.PersistentVolumeClaim) *corev1.ObjectReference {
	return &corev1.ObjectReference{
		Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
		ResourceVersion: claim.ResourceVersion,
	}
}

// boundTo is the claim with its volume.
func boundTo(claim *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) *corev1.PersistentVolumeClaim {
	bound := claim.DeepCopy()
	if bound.Spec.VolumeName == "" {
		bound.Annotations = with(bound.Annotations, cluster.AnnotationBoundByController, "yes")
	}
	bound.Annotations = with(bound.Annotations, cluster.AnnotationBindCompleted, "yes")
	bound.Spec.VolumeName = v.Name
	bound.Status.Phase = corev1.ClaimBound
	bound.Status.AccessModes, bound.Status.Capacity = v.Spec.AccessModes, v.Spec.Capacity
	return bound
}

func with(annotations map[string]string, key, value string) map[string]string {
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	return annotations
}

// provision makes a volume for a claim, on behalf of a node when one was selected. A driver that counts its storage and
// has not enough where the node is removes the selection, which makes the scheduler decide again.
func (c *controllers) provision(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, node string) {
	c.storage.mark(&c.storage.busy, cluster.Key(claim), true)
	counted, storage := c.draw(claim, class, node)
	if counted && storage == nil {
		refused := claim.DeepCopy()
		delete(refused.Annotations, cluster.AnnotationSelectedNode)
		c.storage.mark(&c.storage.busy, cluster.Key(claim), false)
		if node != "" {
			c.send(provisionTime, cluster.Update, refused)
		}
		return
	}
	v := made(claim, class)
	v.Spec.NodeAffinity = c.affinity(v.Spec.CSI.Driver, class, node)
	c.send(provisionTime, cluster.Add, v)
	c.send(provisionTime, cluster.Update, boundTo(claim, v))
	if storage != nil {
		c.send(provisionTime, cluster.Update, storage)
	}
}

// made is a new volume as large as the claim requests.
func made(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass) *corev1.PersistentVolume {
	name := "pvc-" + string(claim.UID)
	if claim.UID == "" {
		name = "pvc-" + claim.Namespace + "-" + claim.Name
	}
	driver := class.Provisioner
	if translated, err := csitranslation.New().GetCSINameFromInTreeName(driver); err == nil {
		driver = translated
	}
	policy := corev1.PersistentVolumeReclaimDelete
	if class.ReclaimPolicy != nil {
		policy = *class.ReclaimPolicy
	}
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Annotations: map[string]string{cluster.AnnotationProvisionedBy: class.Provisioner},
		},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: corev1.ResourceList{
				corev1.ResourceStorage: claim.Spec.Resources.Requests[corev1.ResourceStorage],
			},
			AccessModes:                   claim.Spec.AccessModes,
			ClaimRef:                      reference(claim),
			PersistentVolumeReclaimPolicy: policy,
			StorageClassName:              class.Name,
			VolumeMode:                    claim.Spec.VolumeMode,
			VolumeAttributesClassName:     claim.Spec.VolumeAttributesClassName,
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: name},
			},
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound},
	}
}

// draw finds the storage a volume comes from, and shrinks it by the volume; counted is false when the driver does not
// publish how much there is.
func (c *controllers) draw(
	claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, node string,
) (counted bool, storage *storagev1.CSIStorageCapacity) {
	size, asked := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	driver, ok := c.known.CSIDrivers.Find(class.Provisioner)
	if !asked || !ok || driver.Spec.StorageCapacity == nil || !*driver.Spec.StorageCapacity {
		return false, nil
	}
	where := labels.Set{}
	if n, ok := c.state.Snapshot().Node(node); ok {
		where = n.Labels()
	}
	c.known.EachCapacity(class.Name, func(at *cluster.Capacity) bool {
		limit := cluster.VolumeLimit(at.API)
		if limit == nil || limit.Cmp(size) < 0 || at.Topology == nil || node != "" && !at.Topology.Matches(where) {
			return true
		}
		storage = shrunk(at.API, size)
		return false
	})
	return true, storage
}

func shrunk(c *storagev1.CSIStorageCapacity, size resource.Quantity) *storagev1.CSIStorageCapacity {
	less := c.DeepCopy()
	if less.Capacity != nil {
		less.Capacity.Sub(size)
		if less.MaximumVolumeSize != nil && less.MaximumVolumeSize.Cmp(*less.Capacity) > 0 {
			rest := less.Capacity.DeepCopy()
			less.MaximumVolumeSize = &rest
		}
	}
	return less
}

// affinity is from where a new volume can be used: the values that the node has of the labels the driver goes by, or,
// when the driver published none, of those that the class restricts. Without a node it is the first place that the
// class allows.
func (c *controllers) affinity(driver string, class *storagev1.StorageClass, node string) *corev1.VolumeNodeAffinity {
	var terms []corev1.NodeSelectorRequirement
	add := func(key, value string) {
		terms = append(
			terms, corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}},
		)
	}
	n, ok := c.state.Snapshot().Node(node)
	for _, allowed := range class.AllowedTopologies[:min(1, len(class.AllowedTopologies))] {
		for _, r := range allowed.MatchLabelExpressions {
			if node == "" && len(r.Values) > 0 {
				add(r.Key, r.Values[0])
			}
		}
	}
	if ok {
		for _, key := range c.topologyKeys(driver, class, node) {
			if value, has := n.Label(key); has {
				add(key, value)
			}
		}
	}
	if len(terms) == 0 {
		return nil
	}
	return &corev1.VolumeNodeAffinity{
		Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: terms}}},
	}
}

func (c *controllers) topologyKeys(driver string, class *storagev1.StorageClass, node string) []string {
	if csi, ok := c.known.CSINodes.Find(node); ok {
		for _, d := range csi.Spec.Drivers {
			if d.Name == driver && len(d.TopologyKeys) > 0 {
				return d.TopologyKeys
			}
		}
	}
	var keys []string
	for _, allowed := range class.AllowedTopologies {
		for _, r := range allowed.MatchLabelExpressions {
			if !slices.Contains(keys, r.Key) {
				keys = append(keys, r.Key)
			}
		}
	}
	return keys
}

// pod makes the claims of a new pod's ephemeral volumes, and takes them away with the pod.
func (c *controllers) pod(action cluster.Action, p *corev1.Pod) {
	for i := range p.Spec.Volumes {
		v := &p.Spec.Volumes[i]
		if v.Ephemeral == nil || v.Ephemeral.VolumeClaimTemplate == nil {
			continue
		}
		key := p.Namespace + "/" + p.Name + "-" + v.Name
		claim, exists := c.known.VolumeClaims.Find(key)
		switch {
		case action == cluster.Delete && exists && metav1.IsControlledBy(claim, p):
			c.events = append(
				c.events, source.Timed{At: c.now.Add(bindTime), Event: cluster.Event{Action: cluster.Delete, Object: claim}},
			)
		case action == cluster.Delete || exists || c.storage.busy[key] || p.DeletionTimestamp != nil || cluster.Finished(p):
		default:
			c.storage.mark(&c.storage.busy, key, true)
			c.send(bindTime, cluster.Add, claimOf(p, v))
		}
	}
}

// claimOf is the claim of an ephemeral volume.
func claimOf(p *corev1.Pod, v *corev1.Volume) *corev1.PersistentVolumeClaim {
	template, yes := v.Ephemeral.VolumeClaimTemplate, true
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.Namespace, Name: p.Name + "-" + v.Name, Labels: template.Labels,
			Annotations: maps.Clone(template.Annotations),
			OwnerReferences: []metav1.OwnerReference{
				{APIVersion: "v1", Kind: "Pod", Name: p.Name, UID: p.UID, Controller: &yes, BlockOwnerDeletion: &yes},
			},
		},
		Spec:   *template.Spec.DeepCopy(),
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
	}
}
