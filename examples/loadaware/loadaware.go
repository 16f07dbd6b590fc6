// Package loadaware is a scheduler plugin that prefers nodes with little load. The load is what a NodeLoad, a custom
// resource of the node's name, reports; an informer of the plugin's own keeps them at hand. A report that is too old
// counts as none. It is written for kube-scheduler's framework and for nothing else.
package loadaware

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	fwk "k8s.io/kube-scheduler/framework"
)

// Name is what the plugin is called.
const Name = "LoadAware"

// NodeLoads are the resources that the plugin reads.
var NodeLoads = schema.GroupVersionResource{Group: "load.example.com", Version: "v1", Resource: "nodeloads"}

const unknown = 50 // the score of a node without a report

// args are the plugin's, from pluginConfig.
type args struct {
	MaxAgeSeconds int64 `json:"maxAgeSeconds"` // how old a report may be; 60 by default
}

// LoadAware is the plugin.
type LoadAware struct {
	loads  cache.GenericLister
	maxAge time.Duration
}

var (
	_ fwk.ScorePlugin     = (*LoadAware)(nil)
	_ fwk.ScoreExtensions = (*LoadAware)(nil)
)

// New makes the plugin once its informer has seen every NodeLoad.
func New(ctx context.Context, raw runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
	a := args{MaxAgeSeconds: 60}
	if given, is := raw.(*runtime.Unknown); is {
		if err := json.Unmarshal(given.Raw, &a); err != nil {
			return nil, fmt.Errorf("args of %s: %w", Name, err)
		}
	}
	client, err := dynamic.NewForConfig(h.KubeConfig())
	if err != nil {
		return nil, err
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	loads := factory.ForResource(NodeLoads)
	informer := loads.Informer()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return nil, errors.New("the informer of NodeLoads was stopped before it had seen all")
	}
	return &LoadAware{loads: loads.Lister(), maxAge: time.Duration(a.MaxAgeSeconds) * time.Second}, nil
}

// Name is LoadAware.
func (l *LoadAware) Name() string { return Name }

// Score is the share of the node that is idle, in percent.
func (l *LoadAware) Score(
	_ context.Context, _ fwk.CycleState, _ *corev1.Pod, node fwk.NodeInfo,
) (int64, *fwk.Status) {
	object, err := l.loads.Get(node.Node().Name)
	if err != nil {
		return unknown, nil
	}
	report, is := object.(*unstructured.Unstructured)
	if !is {
		return unknown, nil
	}
	busy, known, err := unstructured.NestedInt64(report.Object, "status", "cpuPercent")
	if err != nil {
		return 0, fwk.AsStatus(fmt.Errorf("NodeLoad %s: %w", report.GetName(), err))
	}
	text, _, _ := unstructured.NestedString(report.Object, "status", "at")
	at, err := time.Parse(time.RFC3339, text)
	if !known || err != nil || time.Since(at) > l.maxAge {
		return unknown, nil
	}
	return 100 - min(max(busy, 0), 100), nil
}

// ScoreExtensions is the plugin itself.
func (l *LoadAware) ScoreExtensions() fwk.ScoreExtensions { return l }

// NormalizeScore gives the most idle node 100.
func (l *LoadAware) NormalizeScore(
	_ context.Context, _ fwk.CycleState, _ *corev1.Pod, scores fwk.NodeScoreList,
) *fwk.Status {
	var most int64
	for _, s := range scores {
		most = max(most, s.Score)
	}
	if most == 0 {
		return nil
	}
	for i := range scores {
		scores[i].Score = scores[i].Score * fwk.MaxScore / most
	}
	return nil
}
