package generate

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podresource "k8s.io/component-helpers/resource"
)

var (
	versions  = []string{"v1", "v2"}
	hostPorts = []int32{80, 443, 8080, 9100}
)

// runningPods draws pods that already have a node. Few of them overcommit it.
func (w *world) runningPods() {
	if len(w.nodes) == 0 {
		return
	}
	for range w.below(41) {
		node := pick(&w.dice, w.nodes)
		pod := w.pod(w.name("run"))
		pod.Spec.SchedulingGates = nil
		pod.Spec.NodeName = node.Name
		if w.has(Crowded) && pod.Spec.Resources == nil {
			pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse(
				pick(&w.dice, []string{"1", "2", "3"}),
			)
		}
		w.mountBound(pod)
		w.start(pod)
		w.running = append(w.running, finish(pod))
	}
}

// pendingPod draws a pod that waits for a node.
func (w *world) pendingPod() *corev1.Pod {
	pod := w.pod(w.name("pod"))
	w.mount(pod)
	w.claim(pod)
	w.priority(pod, []int32{0, 1000, 100, 2000000000})
	if w.has(Gates) && w.percent(50) {
		for _, gate := range some(&w.dice, []string{"example.com/quota", "example.com/data"}, 2) {
			pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: gate})
		}
	}
	pod.Status.Phase = corev1.PodPending
	return finish(pod)
}

// pod draws what running and pending pods have in common.
func (w *world) pod(name string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: w.meta(w.space(), name)}
	if !w.has(MissingLabels) {
		pod.Labels["app"] = pick(&w.dice, apps)
		pod.Labels["version"] = pick(&w.dice, versions)
	}
	w.own(pod)
	w.containers(pod)
	w.tolerations(pod)
	w.affinity(pod)
	w.spread(pod)
	w.priority(pod, []int32{0, 100, -10, 1000})
	return pod
}

// finish does what the API server does with every pod on its way in.
func finish(pod *corev1.Pod) *corev1.Pod {
	mergeLabelKeys(pod)
	pod.Spec.ServiceAccountName = "default"
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		seconds := int64(300)
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{
			Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds,
		})
	}
	return stored(pod)
}

// start gives a pod with a node the status of a running or terminating one.
func (w *world) start(pod *corev1.Pod) {
	begun := epoch.Add(time.Duration(w.below(3)) * time.Minute) // few, so that victims tie
	pod.Status.Phase = corev1.PodRunning
	pod.Status.StartTime = &metav1.Time{Time: begun}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}}
	if w.has(Terminating) && w.percent(50) {
		grace := int64(30)
		pod.DeletionTimestamp = &metav1.Time{Time: epoch.Add(20 * time.Hour)}
		pod.DeletionGracePeriodSeconds = &grace
		if w.percent(60) {
			pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
				Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonPreemptionByScheduler,
			})
		}
	}
	if w.has(Resizes) {
		w.resize(pod)
	}
}

// resize leaves the first container between two sizes.
func (w *world) resize(pod *corev1.Pod) {
	container := &pod.Spec.Containers[0]
	if len(container.Resources.Requests) == 0 {
		return
	}
	actual := container.Resources.Requests.DeepCopy()
	actual[corev1.ResourceCPU] = quantity("%dm", w.between(1, 40)*100)
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: container.Name, AllocatedResources: actual, Resources: &corev1.ResourceRequirements{Requests: actual},
	}}
	if w.percent(40) {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
			Type: corev1.PodResizePending, Status: corev1.ConditionTrue,
			Reason: pick(&w.dice, []string{corev1.PodReasonDeferred, corev1.PodReasonInfeasible}),
		})
	}
}

func (w *world) containers(pod *corev1.Pod) {
	for i := range w.between(1, 2) {
		container := corev1.Container{Name: fmt.Sprintf("c%d", i), Image: images[0], Resources: w.resources()}
		if w.has(Images) {
			container.Image = pick(&w.dice, append(images, "docker.io/library/redis", "nowhere.example/none:1"))
		}
		w.ports(pod, &container)
		pod.Spec.Containers = append(pod.Spec.Containers, container)
	}
	always := corev1.ContainerRestartPolicyAlways
	for i := range 2 {
		if !w.has(InitContainers) {
			continue
		}
		container := corev1.Container{Name: fmt.Sprintf("i%d", i), Image: images[0], Resources: w.resources()}
		if w.percent(50) {
			container.RestartPolicy = &always
			w.ports(pod, &container)
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, container)
	}
	if w.has(Overhead) {
		class := "sandboxed"
		pod.Spec.RuntimeClassName = &class
		pod.Spec.Overhead = corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("120Mi"),
		}
	}
	if w.has(PodLevelResources) {
		w.podLevel(pod)
	}
	if w.has(DeclaredFeatures) && w.percent(30) {
		pod.Spec.RestartPolicy = corev1.RestartPolicyNever
		never := corev1.ContainerRestartPolicyNever
		code := &corev1.ContainerRestartRuleOnExitCodes{
			Operator: corev1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{42},
		}
		pod.Spec.Containers[0].RestartPolicy = &never
		pod.Spec.Containers[0].RestartPolicyRules = []corev1.ContainerRestartRule{{
			Action: corev1.ContainerRestartRuleActionRestartAllContainers, ExitCodes: code,
		}}
	}
}

// podLevel requests a little more than the containers do together.
func (w *world) podLevel(pod *corev1.Pod) {
	requests := corev1.ResourceList{}
	sum := podresource.PodRequests(pod, podresource.PodResourcesOptions{ExcludeOverhead: true})
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if !w.percent(70) {
			continue
		}
		amount := resource.MustParse(
			map[corev1.ResourceName]string{corev1.ResourceCPU: "500m", corev1.ResourceMemory: "256Mi"}[name],
		)
		amount.Add(sum[name])
		requests[name] = amount
	}
	if len(requests) > 0 {
		pod.Spec.Resources = &corev1.ResourceRequirements{Requests: requests}
	}
}

// ports draws host ports that no container of the pod has yet.
func (w *world) ports(pod *corev1.Pod, container *corev1.Container) {
	used := map[int32]bool{}
	for _, other := range append(
		pod.Spec.Containers[:len(pod.Spec.Containers):len(pod.Spec.Containers)], pod.Spec.InitContainers...,
	) {
		for _, port := range other.Ports {
			used[port.HostPort] = true
		}
	}
	for _, port := range hostPorts {
		if used[port] || !w.percent(w.weights[HostPorts]/3) {
			continue
		}
		container.Ports = append(container.Ports, corev1.ContainerPort{
			ContainerPort: port, HostPort: port,
			Protocol: pick(&w.dice, []corev1.Protocol{corev1.ProtocolTCP, corev1.ProtocolTCP, corev1.ProtocolUDP}),
			HostIP:   pick(&w.dice, []string{"", "", "127.0.0.1", "10.0.0.7", "0.0.0.0"}),
		})
	}
}

// resources draws one container's requests; a limit alone also requests.
func (w *world) resources() corev1.ResourceRequirements {
	requests := corev1.ResourceList{}
	if w.percent(75) {
		requests[corev1.ResourceCPU] = resource.MustParse(pick(&w.dice, []string{"100m", "250m", "500m", "1", "2", "0"}))
	}
	if w.percent(75) {
		requests[corev1.ResourceMemory] = resource.MustParse(
			pick(&w.dice, []string{"64Mi", "200Mi", "512Mi", "1Gi", "3Gi", "0"}),
		)
	}
	if w.has(OddQuantities) {
		requests[corev1.ResourceCPU] = resource.MustParse(pick(&w.dice, []string{"0.3333", "1m", "1e-1", "1333m"}))
		requests[corev1.ResourceMemory] = resource.MustParse(pick(&w.dice, []string{"1.5G", "100M", "123456789", "0.7Gi"}))
	}
	if w.has(EphemeralStorage) {
		requests[corev1.ResourceEphemeralStorage] = resource.MustParse(pick(&w.dice, []string{"1Gi", "3Gi", "0"}))
	}
	limits := corev1.ResourceList{}
	if w.has(HugePages) && w.percent(50) {
		limits["hugepages-2Mi"] = resource.MustParse(pick(&w.dice, []string{"64Mi", "256Mi"}))
		if _, ok := requests[corev1.ResourceMemory]; !ok {
			requests[corev1.ResourceMemory] = resource.MustParse("64Mi")
		}
	}
	for _, name := range extendedResources {
		if w.has(ExtendedResources) && w.percent(50) {
			limits[name] = resource.MustParse(pick(&w.dice, []string{"1", "2"}))
		}
	}
	return corev1.ResourceRequirements{Requests: requests, Limits: limits}
}

func (w *world) tolerations(pod *corev1.Pod) {
	for _, key := range append(taintKeys[:2:2], corev1.TaintNodeUnschedulable) {
		if !w.percent(w.weights[Tolerations] / 2) {
			continue
		}
		toleration := corev1.Toleration{
			Key: key, Operator: corev1.TolerationOpExists,
			Effect: pick(&w.dice, []corev1.TaintEffect{"", corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule}),
		}
		if key == "dedicated" {
			toleration.Operator, toleration.Value = corev1.TolerationOpEqual, pick(&w.dice, []string{"db", "batch"})
		}
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, toleration)
	}
	if w.percent(w.weights[Tolerations] / 10) {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Operator: corev1.TolerationOpExists})
	}
}

func (w *world) priority(pod *corev1.Pod, values []int32) {
	priority := int32(0)
	if w.has(Priorities) {
		priority = pick(&w.dice, values)
	}
	pod.Spec.Priority = &priority
	if w.has(NeverPreempt) && pod.Spec.PreemptionPolicy == nil {
		never := corev1.PreemptNever
		pod.Spec.PreemptionPolicy = &never
	}
}

// nominate gives some pending pods a node, as an earlier preemption did.
func (w *world) nominate(pending []*corev1.Pod) {
	for _, pod := range pending {
		if len(w.nodes) > 0 && w.has(Nominated) && w.percent(50) {
			pod.Status.NominatedNodeName = pick(&w.dice, w.nodes).Name
		}
		if w.has(Nominated) && w.percent(5) {
			pod.Status.NominatedNodeName = "gone"
		}
	}
}
