package scenario

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/internal/phrase"
)

// podVolumeWords are about what a pod mounts and which devices it uses.
func podVolumeWords() []word[corev1.Pod] {
	return []word[corev1.Pod]{
		{
			name: "claim", value: "NAME", does: "A volume from that PersistentVolumeClaim.", many: true,
			clear: func(p *corev1.Pod) { p.Spec.Volumes = nil }, read: podClaim,
		},
		{
			name: "ephemeral", value: "NAME@CLASS@SIZE",
			does: "A volume of its own: its claim is called POD-NAME and comes and goes with it.", many: true,
			read: podEphemeral,
		},
		{
			name: "disk", value: "KIND/NAME[@ro]",
			does: "A disk it names itself: gce, ebs or iscsi, or rbd with POOL/IMAGE; ro only reads.", many: true,
			read: podDisk,
		},
		{
			name: "csi", value: "DRIVER", does: "A volume of the driver that it names itself.", many: true,
			read: func(v string) (func(*corev1.Pod), error) {
				return func(p *corev1.Pod) { addVolume(p, v, corev1.VolumeSource{CSI: &corev1.CSIVolumeSource{Driver: v}}) }, nil
			},
		},
		{name: "devices", value: "CLAIM", does: "The devices of that ResourceClaim.", many: true, clear: func(p *corev1.Pod) {
			p.Spec.ResourceClaims = nil
		}, read: func(v string) (func(*corev1.Pod), error) {
			return func(p *corev1.Pod) {
				p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: v, ResourceClaimName: &v})
			}, nil
		}},
		{
			name: "devices-from", value: "TEMPLATE",
			does: "The devices of a ResourceClaim to be generated from that ResourceClaimTemplate.", many: true,
			read: func(v string) (func(*corev1.Pod), error) {
				return func(p *corev1.Pod) {
					p.Spec.ResourceClaims = append(
						p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: v, ResourceClaimTemplateName: &v},
					)
				}, nil
			},
		},
		{
			name: "generated", value: "TEMPLATE=CLAIM", does: "The ResourceClaim that was generated from the template.",
			many: true, late: true, clear: func(p *corev1.Pod) { p.Status.ResourceClaimStatuses = nil }, read: podGenerated,
		},
		{
			name: "own-users-on-host-network", does: "hostNetwork with hostUsers=false, which not every kubelet can do.",
			read: func(v string) (func(*corev1.Pod), error) {
				yes, err := truth(v)
				return func(p *corev1.Pod) { p.Spec.HostNetwork, p.Spec.HostUsers = yes, ptr.To(!yes) }, err
			},
		},
	}
}

// uidOf is the UID that christen gives the first pod of a name.
func uidOf(namespace, name string) types.UID { return types.UID(namespace + "/" + name) }

func addVolume(p *corev1.Pod, name string, source corev1.VolumeSource) {
	p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: source})
}

func podClaim(v string) (func(*corev1.Pod), error) {
	if v == "" {
		return func(*corev1.Pod) {}, nil
	}
	return func(p *corev1.Pod) {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: v, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: v},
		}})
	}, nil
}

func podEphemeral(v string) (func(*corev1.Pod), error) {
	words := strings.Split(v, "@")
	if len(words) != 3 {
		return nil, phrase.Errorf("%q is no ephemeral volume (want name@class@size)", v)
	}
	size, err := quantity(words[2])
	return func(p *corev1.Pod) {
		claim := corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: &words[1],
			VolumeMode: ptr.To(corev1.PersistentVolumeFilesystem),
			Resources:  corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: size}},
		}
		addVolume(p, words[0], corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{
			VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{Spec: claim},
		}})
	}, err
}

func podGenerated(v string) (func(*corev1.Pod), error) {
	use, claim, has := strings.Cut(v, "=")
	if !has || claim == "" {
		return nil, phrase.Errorf("%q names no claim (want TEMPLATE=CLAIM)", v)
	}
	return func(p *corev1.Pod) {
		p.Status.ResourceClaimStatuses = append(
			p.Status.ResourceClaimStatuses, corev1.PodResourceClaimStatus{Name: use, ResourceClaimName: &claim},
		)
	}, nil
}

func podDisk(v string) (func(*corev1.Pod), error) {
	kind, name, _ := strings.Cut(v, "/")
	name, readOnly := strings.CutSuffix(name, "@ro")
	if name == "" {
		return nil, phrase.Errorf("%q names no disk (want gce/NAME, ebs/NAME, iscsi/NAME or rbd/POOL/IMAGE)", v)
	}
	var source corev1.VolumeSource
	switch kind {
	case "gce":
		source.GCEPersistentDisk = &corev1.GCEPersistentDiskVolumeSource{PDName: name, ReadOnly: readOnly}
	case "ebs":
		source.AWSElasticBlockStore = &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: name, ReadOnly: readOnly}
	case "iscsi":
		source.ISCSI = &corev1.ISCSIVolumeSource{TargetPortal: "10.0.0.1:3260", IQN: name, ReadOnly: readOnly}
	case "rbd":
		pool, image, has := strings.Cut(name, "/")
		if !has {
			return nil, phrase.Errorf("%q names no image (want rbd/POOL/IMAGE)", v)
		}
		source.RBD = &corev1.RBDVolumeSource{
			CephMonitors: []string{"10.0.0.2"}, RBDPool: pool, RBDImage: image, ReadOnly: readOnly,
		}
	default:
		return nil, phrase.Errorf("%q is no kind of disk (want gce, ebs, iscsi or rbd)", kind)
	}
	return func(p *corev1.Pod) { addVolume(p, "disk-"+strconv.Itoa(len(p.Spec.Volumes)), source) }, nil
}
