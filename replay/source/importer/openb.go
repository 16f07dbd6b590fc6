package importer

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// The trace of a cluster with GPUs that Alibaba published in 2023 (openb) is two tables: nodes, and pods with the
// second they were created at. A GPU has no kind of its own in it, so a node and a pod get the extended resource and
// the label that the trace's own YAML has. Every pod is to be placed, in the order of its creation: the tables do not
// have its node.
const (
	openbGPU   = "alibabacloud.com/gpu-milli"      // a thousand for each GPU
	openbCount = "alibabacloud.com/gpu-count"      // whole GPUs
	openbModel = "alibabacloud.com/gpu-card-model" // label
	openbPods  = "1001"                            // of a node, as in the trace's YAML

	openbFormat = "openb tables"
	openbNote   = "GPUs are the resource " + openbGPU + ", models the label " + openbModel +
		"; every pod is to be placed, in the order of creation_time, and nothing is deleted"
)

// openbBegan is the second 0 of the tables, which have no date.
var openbBegan = time.Date(2023, time.January, 1, 0, 0, 0, 0, time.UTC)

// isOpenb reports whether a text begins with the head of one of the tables.
func isOpenb(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	return bytes.HasPrefix(line, []byte("sn,cpu_milli,memory_mib,")) ||
		bytes.HasPrefix(line, []byte("name,cpu_milli,memory_mib,"))
}

// openb reads one of the two tables.
func (r *reading) openb(in io.Reader, f *file) {
	r.formats[openbFormat] = true
	table := csv.NewReader(in)
	table.FieldsPerRecord = -1
	table.ReuseRecord = true
	head, err := table.Read()
	if err != nil {
		r.submit(r.note(Problem{Where: f.path, What: phrase.Textf("the table cannot be read: %s", err)}))
		return
	}
	columns := map[string]int{}
	for i, name := range head {
		columns[strings.TrimSpace(name)] = i
	}
	found := findings{kinds: []string{string(cluster.KindNode)}}
	if _, ofPods := columns["name"]; ofPods {
		found.kinds[0] = string(cluster.KindPod)
		found.problem(Problem{Severity: Notice, Where: f.path, What: openbNote})
	}
	for {
		cells, err := table.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		row := openbRow{columns: columns, cells: cells, err: err}
		object := row.object()
		where := f.path
		if len(cells) > 0 {
			line, _ := table.FieldPos(0)
			where = fmt.Sprintf("%s line %d", f.path, line)
		}
		if row.err == nil {
			found.objects = append(found.objects, Object{Object: object, Source: where})
			continue
		}
		found.problem(Problem{
			Where: where, What: phrase.Textf("a row is left out: %s", row.err), like: likeness{path: f.path + " row"},
		})
		if err != nil && !errors.As(err, new(*csv.ParseError)) {
			break
		}
	}
	r.submit(&batch{found: []findings{found}})
}

// openbRow is a row of a table; err keeps the first thing that is wrong with it.
type openbRow struct {
	columns map[string]int
	cells   []string
	err     error
}

// text is the cell of a column; "" where the table has no such column.
func (r *openbRow) text(column string) string {
	i, there := r.columns[column]
	if !there || i >= len(r.cells) {
		return ""
	}
	return strings.TrimSpace(r.cells[i])
}

// number is the cell of a column; an empty one is 0.
func (r *openbRow) number(column string) int64 {
	text := r.text(column)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 0 || n > 1e15 {
		r.fail(phrase.Errorf("%s %q is no number", column, text))
	}
	return int64(n)
}

func (r *openbRow) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// object is the node or the pod of the row.
func (r *openbRow) object() cluster.Object {
	if r.err != nil {
		return nil
	}
	if name := r.text("sn"); name != "" {
		return r.node(name)
	}
	if name := r.text("name"); name != "" {
		return r.pod(name)
	}
	r.fail(phrase.Errorf("it has no name"))
	return nil
}

func (r *openbRow) node(name string) *corev1.Node {
	has := r.resources()
	has[corev1.ResourcePods] = resource.MustParse(openbPods)
	labels := map[string]string{corev1.LabelHostname: name}
	if gpus := r.number("gpu"); gpus > 0 {
		has[openbCount] = *resource.NewQuantity(gpus, resource.DecimalSI)
		has[openbGPU] = *resource.NewQuantity(gpus*1000, resource.DecimalSI)
		labels[openbModel] = r.text("model")
	}
	return &corev1.Node{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: string(cluster.KindNode)},
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Status:     corev1.NodeStatus{Capacity: has, Allocatable: has.DeepCopy()},
	}
}

func (r *openbRow) pod(name string) *corev1.Pod {
	wants := r.resources()
	if gpus := r.number("num_gpu"); gpus == 1 {
		wants[openbGPU] = *resource.NewQuantity(r.number("gpu_milli"), resource.DecimalSI)
	} else if gpus > 1 {
		wants[openbGPU] = *resource.NewQuantity(gpus*1000, resource.DecimalSI)
	}
	p := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: string(cluster.KindPod)},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: metav1.NamespaceDefault,
			CreationTimestamp: metav1.Time{Time: openbBegan.Add(time.Duration(r.number("creation_time")) * time.Second)},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "main", Image: "openb", Resources: corev1.ResourceRequirements{Requests: wants, Limits: limitsOf(wants)},
		}}},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
	if models := r.text("gpu_spec"); models != "" {
		p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{
					Key: openbModel, Operator: corev1.NodeSelectorOpIn, Values: strings.Split(models, "|"),
				}}}},
			},
		}}
	}
	return p
}

// limitsOf are the limits that an API server requires with a request: an extended resource cannot be overcommitted.
func limitsOf(wants corev1.ResourceList) corev1.ResourceList {
	gpu, has := wants[openbGPU]
	if !has {
		return nil
	}
	return corev1.ResourceList{openbGPU: gpu}
}

// resources are the cores and the memory of a row.
func (r *openbRow) resources() corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewMilliQuantity(r.number("cpu_milli"), resource.DecimalSI),
		corev1.ResourceMemory: *resource.NewQuantity(r.number("memory_mib")<<20, resource.BinarySI),
	}
}
