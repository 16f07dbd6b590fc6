package e2e

import (
	"context"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// bindVolumes does what the volume controller does: free volumes become available, and a claim for which the scheduler
// has set a volume aside gets it. It returns how many objects it wrote.
func (a *API) bindVolumes(ctx context.Context) (int, error) {
	volumes, err := a.typed.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	wrote := 0
	for i := range volumes.Items {
		v := &volumes.Items[i]
		done := v.Status.Phase == corev1.VolumeBound || v.Status.Phase == corev1.VolumeAvailable && v.Spec.ClaimRef == nil
		if done {
			continue
		}
		wrote++
		if err := a.bindVolume(ctx, v); err != nil && !apierrors.IsConflict(err) { // the scheduler was faster: look again
			return wrote, err
		}
	}
	return wrote, nil
}

func (a *API) bindVolume(ctx context.Context, v *corev1.PersistentVolume) error {
	v.Status.Phase = corev1.VolumeAvailable
	if v.Spec.ClaimRef != nil {
		if err := a.bindClaim(ctx, v); err != nil {
			return err
		}
		v.Status.Phase = corev1.VolumeBound
	}
	_, err := a.typed.CoreV1().PersistentVolumes().UpdateStatus(ctx, v, metav1.UpdateOptions{})
	return err
}

func (a *API) bindClaim(ctx context.Context, v *corev1.PersistentVolume) error {
	claims := a.typed.CoreV1().PersistentVolumeClaims(v.Spec.ClaimRef.Namespace)
	claim, err := claims.Get(ctx, v.Spec.ClaimRef.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if claim.Annotations == nil {
		claim.Annotations = map[string]string{}
	}
	if claim.Spec.VolumeName == "" {
		claim.Annotations[cluster.AnnotationBoundByController] = "yes"
	}
	claim.Annotations[cluster.AnnotationBindCompleted] = "yes"
	claim.Spec.VolumeName = v.Name
	if claim, err = claims.Update(ctx, claim, metav1.UpdateOptions{}); err != nil {
		return err
	}
	claim.Status.Phase = corev1.ClaimBound
	claim.Status.AccessModes, claim.Status.Capacity = v.Spec.AccessModes, v.Spec.Capacity
	_, err = claims.UpdateStatus(ctx, claim, metav1.UpdateOptions{})
	return err
}

// dayOne is when the first pod of the workload started.
var dayOne = time.Date(2026, time.January, 5, 8, 0, 0, 0, time.UTC)

// startPods does what kubelets do: pods that have a node run. Every minute two of them start, because preemption
// compares these times: most differ, some do not.
func (a *API) startPods(ctx context.Context, started int) (int, error) {
	pods, err := a.Pods(ctx)
	if err != nil {
		return started, err
	}
	for _, key := range slices.Sorted(maps.Keys(pods)) {
		p := pods[key]
		if p.Spec.NodeName == "" || p.Status.StartTime != nil {
			continue
		}
		p.Status.Phase = corev1.PodRunning
		p.Status.StartTime = &metav1.Time{Time: dayOne.Add(time.Duration(started/2) * time.Minute)}
		if _, err := a.typed.CoreV1().Pods(p.Namespace).UpdateStatus(ctx, p, metav1.UpdateOptions{}); err != nil {
			return started, err
		}
		started++
	}
	return started, nil
}

// endPods does what kubelets do with pods that are being deleted: it deletes them for good, and returns how many.
func (a *API) endPods(ctx context.Context, pods map[string]*corev1.Pod) (int, error) {
	ended, now := 0, int64(0)
	for _, p := range pods {
		if p.DeletionTimestamp == nil || p.Spec.NodeName == "" {
			continue
		}
		ended++
		err := a.typed.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{GracePeriodSeconds: &now})
		if err != nil && !apierrors.IsNotFound(err) {
			return ended, err
		}
	}
	return ended, nil
}
