package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

var list = Prices{"small": 0.10, "large": 0.40}

// args are a request for a pod, with an annotation unless most is empty, and for nodes of these instance types.
func args(most string, types ...string) extenderv1.ExtenderArgs {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	if most != "" {
		pod.Annotations = map[string]string{Most: most}
	}
	nodes := &corev1.NodeList{}
	for _, kind := range types {
		nodes.Items = append(nodes.Items, corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name: kind, Labels: map[string]string{corev1.LabelInstanceTypeStable: kind},
		}})
	}
	return extenderv1.ExtenderArgs{Pod: pod, Nodes: nodes}
}

// post sends a request as kube-scheduler does.
func post(t *testing.T, path string, question any, into any) (status int, said string) {
	t.Helper()
	server := httptest.NewServer(list.Handler())
	defer server.Close()
	body, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Post(server.URL+path, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode == http.StatusOK {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func TestDearNodesAreFilteredOut(t *testing.T) {
	var got extenderv1.ExtenderFilterResult
	post(t, "/filter", args("0.2", "small", "large", "attic"), &got)
	if len(got.Nodes.Items) != 1 || got.Nodes.Items[0].Name != "small" {
		t.Errorf("left are %v", got.Nodes.Items)
	}
	want := extenderv1.FailedNodesMap{
		"large": "node costs more than 0.2 an hour", "attic": "price of the node is not known",
	}
	if !reflect.DeepEqual(got.FailedAndUnresolvableNodes, want) {
		t.Errorf("failed are %v", got.FailedAndUnresolvableNodes)
	}
	got = extenderv1.ExtenderFilterResult{}
	post(t, "/filter", args("", "small", "large", "attic"), &got)
	if len(got.Nodes.Items) != 3 {
		t.Errorf("without a limit left are %v", got.Nodes.Items)
	}
	got = extenderv1.ExtenderFilterResult{}
	post(t, "/filter", args("cheap", "small"), &got)
	if !strings.Contains(got.Error, `"cheap" is no price`) {
		t.Errorf("a limit that is none: %+v", got)
	}
}

func TestCheapNodesScoreHigher(t *testing.T) {
	var got extenderv1.HostPriorityList
	post(t, "/prioritize", args("", "small", "large", "attic"), &got)
	want := extenderv1.HostPriorityList{{Host: "small", Score: 7}, {Host: "large"}, {Host: "attic"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestACallWithoutNodesIsRefused(t *testing.T) {
	question := args("", "small")
	question.Nodes = nil
	if status, said := post(t, "/filter", question, nil); status != http.StatusBadRequest {
		t.Errorf("%d %s", status, said)
	}
}
