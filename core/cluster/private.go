package cluster

import "slices"

// fields is a list of places to empty.
type fields []PrivateField

// under puts every path below a prefix.
func (f fields) under(prefix string) fields {
	moved := make(fields, len(f))
	for i, one := range f {
		moved[i] = PrivateField{Path: prefix + "." + one.Path, Why: one.Why}
	}
	return moved
}

const (
	address  = "an address"
	secret   = "may hold a secret"
	content  = "content of a file or a program, not a matter of placement"
	prose    = "free text"
	identity = "identifies a machine outside the cluster"
	noise    = "bookkeeping of the API server"
)

var conditionText = fields{{"status.conditions[].message", prose}}

// templateFields are those of an object that makes pods.
func templateFields() fields {
	return slices.Concat(podSpecFields().under("spec.template.spec"), conditionText)
}

// podSpecFields are those of a pod, relative to its spec.
func podSpecFields() fields {
	all := append(fields{
		{"imagePullSecrets", secret},
		{"hostAliases", address},
		{"dnsConfig", address},
	}, inlineVolumeFields.under("volumes[]")...)
	for _, list := range []string{"containers[]", "initContainers[]", "ephemeralContainers[]"} {
		all = append(all, containerFields.under(list)...)
	}
	return all
}

var containerFields = fields{
	{"command", secret},
	{"args", secret},
	{"workingDir", content},
	{"env[].value", secret},
	{"livenessProbe", secret},
	{"readinessProbe", secret},
	{"startupProbe", secret},
	{"lifecycle.postStart", secret},
	{"lifecycle.preStop", secret},
	{"terminationMessagePath", content},
}

// diskFields are those of a volume: a PersistentVolume, or one in the spec of a pod. They keep what VolumeRestrictions
// and the volume limits compare: disk names, and of rbd the monitors, pool and image.
var diskFields = fields{
	{"hostPath.path", content},
	{"nfs.server", address},
	{"nfs.path", content},
	{"iscsi.targetPortal", address},
	{"iscsi.portals", address},
	{"iscsi.initiatorName", identity},
	{"iscsi.secretRef", secret},
	{"rbd.keyring", secret},
	{"rbd.user", secret},
	{"rbd.secretRef", secret},
	{"cephfs", address},
	{"cinder.secretRef", secret},
	{"flexVolume.options", secret},
	{"flexVolume.secretRef", secret},
	{"glusterfs", address},
	{"quobyte", address},
	{"scaleIO", address},
	{"storageos.secretRef", secret},
	{"csi.volumeAttributes", secret},
	{"csi.nodePublishSecretRef", secret},
}

// inlineVolumeFields are those of a volume that stands in a pod.
var inlineVolumeFields = append(fields{
	{"secret.items", content},
	{"configMap.items", content},
	{"downwardAPI.items", content},
	{"projected.sources[].secret.items", content},
	{"projected.sources[].configMap.items", content},
	{"projected.sources[].downwardAPI.items", content},
	{"projected.sources[].serviceAccountToken.audience", address},
	{"gitRepo", address},
}, diskFields...)

func podStatusFields() fields {
	all := fields{
		{"status.message", prose},
		{"status.hostIP", address},
		{"status.hostIPs", address},
		{"status.podIP", address},
		{"status.podIPs", address},
	}
	for _, list := range []string{"containerStatuses[]", "initContainerStatuses[]", "ephemeralContainerStatuses[]"} {
		all = append(all, fields{
			{"state", prose},
			{"lastState", prose},
			{"imageID", identity},
			{"containerID", identity},
		}.under("status."+list)...)
	}
	return all
}

var nodeFields = fields{
	{"spec.podCIDR", address},
	{"spec.podCIDRs", address},
	{"spec.providerID", identity},
	{"spec.externalID", identity},
	{"spec.configSource", noise},
	{"status.addresses", address},
	{"status.daemonEndpoints", address},
	{"status.config", noise},
	{"status.nodeInfo.machineID", identity},
	{"status.nodeInfo.systemUUID", identity},
	{"status.nodeInfo.bootID", identity},
	{"status.volumesAttached[].devicePath", identity},
}

var serviceFields = fields{
	{"spec.clusterIP", address},
	{"spec.clusterIPs", address},
	{"spec.externalIPs", address},
	{"spec.loadBalancerIP", address},
	{"spec.loadBalancerSourceRanges", address},
	{"spec.externalName", address},
	{"status.loadBalancer", address},
}

// volumeFields are those of a PersistentVolume, relative to its spec. The handle of a CSI volume is kept: volume limits
// count different handles.
var volumeFields = append(fields{
	{"mountOptions", secret},
	{"local.path", content},
	{"rbd.monitors", address},
	{"csi.controllerPublishSecretRef", secret},
	{"csi.nodeStageSecretRef", secret},
	{"csi.controllerExpandSecretRef", secret},
	{"csi.nodeExpandSecretRef", secret},
}, diskFields...)

var attachmentFields = fields{
	{"status.attachmentMetadata", identity},
	{"status.attachError.message", prose},
	{"status.detachError.message", prose},
}

var claimFields = fields{
	{"spec.devices.config[].opaque.parameters", secret},
	{"status.allocation.devices.config[].opaque.parameters", secret},
	{"status.devices[].data", identity},
	{"status.devices[].networkData", address},
	{"status.devices[].conditions[].message", prose},
}
