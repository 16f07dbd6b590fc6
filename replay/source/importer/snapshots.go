package importer

import (
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// Snapshots that other schedulers and autoscalers write of themselves: one JSON object whose members hold API objects
// without a kind.
const (
	autoscalerFormat = "cluster-autoscaler snapshot"
	kaiFormat        = "KAI scheduler snapshot"
)

// snapshot reads one of them; false when the object is none.
func (d *decoder) snapshot(raw []byte) bool {
	if list := text.Member(raw, "NodeList"); list != nil && (list[0] == '[' || string(list) == "null") {
		d.autoscaler(raw, list)
		return true
	}
	if objects := text.Member(raw, "rawObjects"); objects != nil && objects[0] == '{' {
		d.kai(objects)
		return true
	}
	if events := text.Member(raw, "events"); events != nil && events[0] == '[' && hasKey(raw, "config") {
		return d.jsonTrace(events)
	}
	return false
}

// autoscaler reads the snapshot of cluster-autoscaler (/snapshotz): nodes with the pods on them, and the pending pods
// that it found room for.
func (d *decoder) autoscaler(raw, nodes []byte) {
	d.found.formats = append(d.found.formats, autoscalerFormat)
	d.found.kinds = append(d.found.kinds, string(cluster.KindNode), string(cluster.KindPod))
	_ = text.Elements(nodes, func(_, start, end int) bool {
		d.as(cluster.KindNode, text.Member(nodes[start:end], "Node"))
		d.podInfos(text.Member(nodes[start:end], "Pods"))
		return true
	})
	d.podInfos(text.Member(raw, "UnscheduledPodsCanBeScheduled"))
	_ = text.Members(text.Member(raw, "TemplateNodes"), func([]byte, int, int) bool {
		d.found.leave("template of a node group", "it is no node yet", d.place.file.path)
		return true
	})
	d.found.problem(Problem{
		Severity: Notice, Where: d.place.file.path,
		What: "a snapshot of cluster-autoscaler holds of the pending pods those only that it found room for",
	})
}

// podInfos reads pods, which older versions have wrapped.
func (d *decoder) podInfos(list []byte) {
	_ = text.Elements(list, func(_, start, end int) bool {
		pod := list[start:end]
		if inner := text.Member(pod, "Pod"); inner != nil {
			pod = inner
		}
		d.as(cluster.KindPod, pod)
		return true
	})
}

// kai reads the objects of a snapshot of the KAI scheduler. Its own kinds share names with others and are left out.
func (d *decoder) kai(objects []byte) {
	d.found.formats = append(d.found.formats, kaiFormat)
	_ = text.Members(objects, func(key []byte, start, end int) bool {
		row := rowNamed(strings.ToLower(string(key)))
		if row != nil && row.Kind != cluster.KindPodGroup {
			d.found.kinds = append(d.found.kinds, string(row.Kind))
		}
		list := objects[start:end]
		_ = text.Elements(list, func(_, start, end int) bool {
			if row == nil || row.Kind == cluster.KindPodGroup {
				d.found.leave("one of "+string(key), "the KAI scheduler alone reads it", d.place.file.path)
			} else {
				d.as(row.Kind, list[start:end])
			}
			return true
		})
		return true
	})
}

// as reads an object of which the kind is known by its place.
func (d *decoder) as(kind cluster.Kind, raw []byte) {
	if len(raw) == 0 || raw[0] != '{' {
		return
	}
	h, err := headOf(raw)
	if err != nil {
		d.again = d.compact
		return
	}
	h.typeMeta = typeMeta{apiVersion: apiVersion(cluster.RowOf(kind)), kind: string(kind)}
	d.kind(h, raw)
}

// jsonTrace reads the events of a SimKube trace that was written as JSON.
func (d *decoder) jsonTrace(events []byte) bool {
	if !strings.Contains(string(events[:min(len(events), 256)]), "applied_objs") {
		return false
	}
	list, err := decodeEvents(events)
	if err != nil {
		d.found.problem(Problem{Where: d.place.file.path, What: phrase.Textf("a SimKube trace that cannot be read: %s", err)})
		return true
	}
	told, left := lastOf(list)
	d.found.formats = append(d.found.formats, simkubeFormat)
	told.Where = d.place.file.path
	d.found.problem(told)
	for _, o := range left {
		if h, err := headOf(o); err == nil {
			d.kind(h, o)
		}
	}
	return true
}
