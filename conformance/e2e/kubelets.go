package e2e

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// Kubelets stand in for those of every node: pods that have a node run and get Ready, pods that are deleted stop when
// their grace is over, and the leases of the nodes are renewed. They admit every pod, and run none unless Processes do.
type Kubelets struct {
	client kubernetes.Interface
	ready  time.Duration // from a pod's start until it is Ready
	pause  time.Duration // between two looks

	mutex sync.Mutex
	hurry map[string]bool // namespaces whose pods stop at once
	quiet map[string]bool // nodes whose kubelets are silent
	wrong error           // the last thing that went wrong

	processes *Processes // nil: pods are said to run, and have none
	started   map[types.UID]time.Time
	leased    map[string]time.Time // when the lease of a node was renewed
}

// The times of kubelets: between two looks, and between two renewals of a lease.
const (
	lookTime  = 100 * time.Millisecond
	leaseTime = 10 * time.Second
)

// NewKubelets has pods get Ready after a time.
func NewKubelets(client kubernetes.Interface, ready time.Duration) *Kubelets {
	return &Kubelets{
		client: client, ready: ready, pause: lookTime, hurry: map[string]bool{}, quiet: map[string]bool{},
		started: map[types.UID]time.Time{},
		leased:  map[string]time.Time{},
	}
}

// Slow has them pause for a time between two looks, which read every pod. It comes before Run.
func (k *Kubelets) Slow(pause time.Duration) { k.pause = pause }

// Have has them run the containers of pods. It comes before Run.
func (k *Kubelets) Have(p *Processes) { k.processes = p }

// Run does their work until the context ends.
func (k *Kubelets) Run(ctx context.Context) {
	Every(ctx, k.pause, func() {
		err := k.look(ctx)
		k.mutex.Lock()
		defer k.mutex.Unlock()
		k.wrong = err
	})
}

// Hurry has the pods of a namespace stop at once from now on.
func (k *Kubelets) Hurry(namespace string) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.hurry[namespace] = true
}

// Silence has the kubelets of nodes do nothing from now on, as when their machines are lost.
func (k *Kubelets) Silence(nodes ...string) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	for _, n := range nodes {
		k.quiet[n] = true
	}
}

// Revive has all kubelets do their work again.
func (k *Kubelets) Revive() {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	clear(k.quiet)
}

// IsSilent reports whether the kubelet of a node is silent.
func (k *Kubelets) IsSilent(node string) bool {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return k.quiet[node]
}

// Wrong is what went wrong the last time they looked; nil: nothing.
func (k *Kubelets) Wrong() error {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return k.wrong
}

func (k *Kubelets) look(ctx context.Context) error {
	nodes, err := k.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return err
	}
	live := map[string]bool{}
	for i := range nodes.Items {
		if k.IsSilent(nodes.Items[i].Name) {
			continue
		}
		live[nodes.Items[i].Name] = true
		if err := k.renew(ctx, nodes.Items[i].Name); err != nil {
			return err
		}
	}
	maps.DeleteFunc(k.leased, func(node string, _ time.Time) bool { return !live[node] })
	pods, err := k.client.CoreV1().Pods("").List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return err
	}
	for i := range pods.Items {
		p := &pods.Items[i]
		if !live[p.Spec.NodeName] {
			continue
		}
		if err := k.attend(ctx, p); err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			return err
		}
	}
	return nil
}

// attend does what there is to do for a pod now.
func (k *Kubelets) attend(ctx context.Context, p *corev1.Pod) error {
	pods, now := k.client.CoreV1().Pods(p.Namespace), time.Now()
	started, runs := k.started[p.UID]
	isReady := false
	switch {
	case p.DeletionTimestamp != nil:
		k.mutex.Lock()
		hurry := k.hurry[p.Namespace]
		k.mutex.Unlock()
		if !hurry && now.Before(p.DeletionTimestamp.Time) {
			return nil
		}
		delete(k.started, p.UID)
		if k.processes != nil {
			k.processes.Kill(func(other *corev1.Pod) bool { return other.UID == p.UID })
		}
		return pods.Delete(ctx, p.Name, metav1.DeleteOptions{
			GracePeriodSeconds: new(int64), Preconditions: &metav1.Preconditions{UID: &p.UID},
		})
	case k.processes != nil:
		return k.processes.attend(ctx, p)
	case p.Status.Phase == corev1.PodPending:
		k.started[p.UID] = now
		p.Status.Phase, p.Status.StartTime = corev1.PodRunning, &metav1.Time{Time: now}
		setReady(p, corev1.ConditionFalse, now)
	case p.Status.Phase == corev1.PodRunning && runs && !now.Before(started.Add(k.ready)):
		isReady = true
		setReady(p, corev1.ConditionTrue, now)
	default:
		return nil
	}
	_, err := pods.UpdateStatus(ctx, p, metav1.UpdateOptions{})
	if err == nil && isReady {
		delete(k.started, p.UID) // and not before: an update of what has changed meanwhile is tried again
	}
	return err
}

// setReady sets the conditions that a kubelet sets of a pod that runs.
func setReady(p *corev1.Pod, ready corev1.ConditionStatus, now time.Time) {
	of := map[corev1.PodConditionType]corev1.ConditionStatus{
		corev1.PodInitialized: corev1.ConditionTrue, corev1.ContainersReady: ready, corev1.PodReady: ready,
	}
	p.Status.Conditions = slices.DeleteFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		_, ours := of[c.Type]
		return ours
	})
	for _, t := range slices.Sorted(maps.Keys(of)) {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
			Type: t, Status: of[t], LastTransitionTime: metav1.Time{Time: now},
		})
	}
}

// renew renews the lease of a node when it is time.
func (k *Kubelets) renew(ctx context.Context, node string) error {
	now := time.Now()
	if now.Before(k.leased[node].Add(leaseTime)) {
		return nil
	}
	leases := k.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	lease, err := leases.Get(ctx, node, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		lease = &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: node, Namespace: corev1.NamespaceNodeLease},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: &node, RenewTime: &metav1.MicroTime{Time: now}},
		}
		_, err = leases.Create(ctx, lease, metav1.CreateOptions{})
	case err == nil:
		lease.Spec.RenewTime = &metav1.MicroTime{Time: now}
		_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
	}
	if err == nil {
		k.leased[node] = now
	}
	return err
}
