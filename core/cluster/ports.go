package cluster

import (
	corev1 "k8s.io/api/core/v1"
)

// HostPort is a port of the node that a pod wants for itself.
type HostPort struct {
	IP       string // "0.0.0.0" stands for every address
	Protocol corev1.Protocol
	Port     int32 // 1 to 65535
}

// AnyAddress is the address that conflicts with every other.
const AnyAddress = "0.0.0.0"

// Conflicts reports whether two pods with these ports cannot share a node.
func (p HostPort) Conflicts(o HostPort) bool {
	return p.Port == o.Port && p.Protocol == o.Protocol && (p.IP == o.IP || p.IP == AnyAddress || o.IP == AnyAddress)
}

// hostPorts lists the ports of restartable init containers, where they count, then of containers; a port without
// address or protocol means every address and TCP (kube-scheduler's HostPortInfo, 1.37).
func (r *Reading) hostPorts(spec *corev1.PodSpec) []HostPort {
	var ports []HostPort
	add := func(c *corev1.Container) {
		for _, p := range c.Ports {
			if p.HostPort <= 0 {
				continue
			}
			port := HostPort{IP: p.HostIP, Protocol: p.Protocol, Port: p.HostPort}
			if port.IP == "" {
				port.IP = AnyAddress
			}
			if port.Protocol == "" {
				port.Protocol = corev1.ProtocolTCP
			}
			ports = append(ports, port)
		}
	}
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		if !r.SidecarPortsUncounted && c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			add(c)
		}
	}
	for i := range spec.Containers {
		add(&spec.Containers[i])
	}
	return ports
}
