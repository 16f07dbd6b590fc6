package config

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
)

// setDefaults completes a document as kube-scheduler does before it validates it. Plugins and their args are completed
// profile by profile in readProfile.
func setDefaults(d *configv1.KubeSchedulerConfiguration) {
	fallback(&d.Parallelism, 16)
	fallback(&d.PercentageOfNodesToScore, 0)
	fallback(&d.PodInitialBackoffSeconds, 1)
	fallback(&d.PodMaxBackoffSeconds, 10)
	fallback(&d.EnableProfiling, true)
	if *d.EnableProfiling {
		fallback(&d.EnableContentionProfiling, true)
	}
	if len(d.Profiles) == 0 {
		d.Profiles = []configv1.KubeSchedulerProfile{{}}
	}
	if len(d.Profiles) == 1 {
		fallback(&d.Profiles[0].SchedulerName, corev1.DefaultSchedulerName)
	}
	setLeaderElectionDefaults(d)
	client := &d.ClientConnection
	client.ContentType = orElse(client.ContentType, "application/vnd.kubernetes.protobuf")
	client.QPS = orElse(client.QPS, 50)
	client.Burst = orElse(client.Burst, 100)
}

func setLeaderElectionDefaults(d *configv1.KubeSchedulerConfiguration) {
	election := &d.LeaderElection
	fallback(&election.LeaderElect, true)
	election.ResourceLock = orElse(election.ResourceLock, "leases")
	election.ResourceNamespace = orElse(election.ResourceNamespace, configv1.SchedulerDefaultLockObjectNamespace)
	election.ResourceName = orElse(election.ResourceName, configv1.SchedulerDefaultLockObjectName)
	election.LeaseDuration = orElse(election.LeaseDuration, metav1.Duration{Duration: 15 * time.Second})
	election.RenewDeadline = orElse(election.RenewDeadline, metav1.Duration{Duration: 10 * time.Second})
	election.RetryPeriod = orElse(election.RetryPeriod, metav1.Duration{Duration: 2 * time.Second})
}

// orElse is value where given is zero.
func orElse[T comparable](given, value T) T {
	var zero T
	if given == zero {
		return value
	}
	return given
}
