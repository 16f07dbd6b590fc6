package loadaware

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	fwk "k8s.io/kube-scheduler/framework"
)

type node struct {
	fwk.NodeInfo
	name string
}

func (n node) Node() *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.name}}
}

// made is the plugin with reports of these percentages, by node, of some age.
func made(t *testing.T, age time.Duration, percent map[string]any) *LoadAware {
	t.Helper()
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for name, busy := range percent {
		err := indexer.Add(&unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"name": name},
			"status":   map[string]any{"cpuPercent": busy, "at": time.Now().Add(-age).Format(time.RFC3339)},
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	return &LoadAware{loads: cache.NewGenericLister(indexer, NodeLoads.GroupResource()), maxAge: time.Minute}
}

func score(t *testing.T, l *LoadAware, name string) int64 {
	t.Helper()
	s, status := l.Score(t.Context(), nil, nil, node{name: name})
	if !status.IsSuccess() {
		t.Fatal(status)
	}
	return s
}

func TestAnIdleNodeScoresHigh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 10*time.Second, map[string]any{"idle": int64(10), "busy": int64(90)})
		for name, want := range map[string]int64{"idle": 90, "busy": 10, "silent": unknown} {
			if got := score(t, l, name); got != want {
				t.Errorf("%s: %d, want %d", name, got, want)
			}
		}
	})
}

func TestAnOldReportCountsAsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if got := score(t, made(t, time.Hour, map[string]any{"n1": int64(10)}), "n1"); got != unknown {
			t.Errorf("got %d", got)
		}
	})
}

func TestAReportThatIsNoNumberIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 0, map[string]any{"n1": "much"})
		if _, status := l.Score(t.Context(), nil, nil, node{name: "n1"}); !status.IsError() {
			t.Errorf("got %v", status)
		}
	})
}

// config is a Handle that has a configuration of clients and nothing else.
type config struct{ fwk.Handle }

func (config) KubeConfig() *rest.Config { return &rest.Config{Host: "http://api.invalid"} }

func TestItIsNotMadeBeforeItsInformerHasSeenAll(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := New(ctx, nil, config{}); err == nil {
		t.Error("it is made")
	}
	if _, err := New(ctx, &runtime.Unknown{Raw: []byte(`{"maxAgeSeconds": "1m"}`)}, config{}); err == nil {
		t.Error("wrong args are taken")
	}
}

func TestTheMostIdleNodeGets100(t *testing.T) {
	scores := fwk.NodeScoreList{{Name: "a", Score: 40}, {Name: "b", Score: 80}}
	if status := (&LoadAware{}).NormalizeScore(t.Context(), nil, nil, scores); !status.IsSuccess() {
		t.Fatal(status)
	}
	if scores[0].Score != 50 || scores[1].Score != 100 {
		t.Errorf("got %v", scores)
	}
}
