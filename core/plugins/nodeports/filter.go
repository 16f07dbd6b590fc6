package nodeports

import (
	"net"
	"strconv"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// check rejects nodes where one of the ports is taken.
type check struct {
	ports []cluster.HostPort
	texts []string // of ports; made when first needed
	room  trace.Room
}

// Filter looks for conflicts. kube-scheduler stops at the first; the evidence lists every taken port, in the pod's
// order, with the pod that holds it.
func (c *check) Filter(node *cluster.Node) trace.Verdict {
	taken := 0
	for i := range c.ports {
		if _, conflict := conflicting(c.ports[i], node.Ports); conflict {
			taken++
		}
	}
	if taken == 0 {
		return trace.Verdict{}
	}
	return trace.Verdict{Code: trace.Unschedulable, Reasons: reasons[:], Evidence: c.evidence(node, taken)}
}

var reasons = [...]string{reason}

func (c *check) evidence(node *cluster.Node, taken int) []trace.Evidence {
	if c.texts == nil {
		c.texts = make([]string, len(c.ports))
		for i, port := range c.ports {
			c.texts[i] = text(port)
		}
	}
	evidence := c.room.Evidence(taken)
	for i, port := range c.ports {
		used, conflict := conflicting(port, node.Ports)
		if !conflict {
			continue
		}
		have := c.texts[i]
		if used != port {
			have = text(used)
		}
		evidence = append(evidence, trace.Evidence{
			What: "host port", Want: trace.Text(c.texts[i]), Used: trace.Text(have), By: c.room.Names(holder(node, used)),
		})
	}
	return evidence
}

// conflicting is the first of the used ports that the wanted one cannot share a node with.
func conflicting(want cluster.HostPort, used []cluster.HostPort) (cluster.HostPort, bool) {
	for i := range used {
		if used[i].Port == want.Port && want.Conflicts(used[i]) {
			return used[i], true
		}
	}
	return cluster.HostPort{}, false
}

// holder is the pod on the node that has the port; the first to come when several do.
func holder(node *cluster.Node, port cluster.HostPort) string {
	for _, pod := range node.WithPorts {
		for i := range pod.Ports {
			if pod.Ports[i] == port {
				return pod.Key
			}
		}
	}
	panic("port " + text(port) + " of node " + node.Name + " is held by no pod")
}

// text is a port in words: "8080/TCP", or "10.0.0.1:8080/TCP" for one address.
func text(p cluster.HostPort) string {
	number := strconv.Itoa(int(p.Port)) + "/" + string(p.Protocol)
	if p.IP == cluster.AnyAddress {
		return number
	}
	return net.JoinHostPort(p.IP, number)
}

// Fits reports whether every port that the pod wants is free on the node.
func Fits(pod *cluster.Pod, node *cluster.Node) bool {
	return (&check{ports: pod.Ports}).Filter(node).OK()
}
