package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// Most is the annotation of a pod that may cost only so many dollars an hour.
const Most = "price.example.com/most"

// Prices are what an hour of each instance type costs, in dollars.
type Prices map[string]float64

// Handler answers the calls of a kube-scheduler.
func (p Prices) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /filter", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, func(args *extenderv1.ExtenderArgs) any { return p.Filter(args) })
	})
	mux.HandleFunc("POST /prioritize", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, func(args *extenderv1.ExtenderArgs) any { return p.Prioritize(args) })
	})
	return mux
}

func answer(w http.ResponseWriter, r *http.Request, with func(*extenderv1.ExtenderArgs) any) {
	var args extenderv1.ExtenderArgs
	if err := json.NewDecoder(r.Body).Decode(&args); err != nil || args.Pod == nil || args.Nodes == nil {
		http.Error(w, "a pod and nodes are wanted (nodeCacheCapable: false)", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(with(&args))
}

// Filter leaves the nodes that cost no more than the pod may. No eviction makes a node cheaper.
func (p Prices) Filter(args *extenderv1.ExtenderArgs) *extenderv1.ExtenderFilterResult {
	most, limited := args.Pod.Annotations[Most]
	if !limited {
		return &extenderv1.ExtenderFilterResult{Nodes: args.Nodes}
	}
	limit, err := strconv.ParseFloat(most, 64)
	if err != nil {
		return &extenderv1.ExtenderFilterResult{Error: fmt.Sprintf("annotation %s: %q is no price", Most, most)}
	}
	result := &extenderv1.ExtenderFilterResult{
		Nodes: &corev1.NodeList{}, FailedAndUnresolvableNodes: extenderv1.FailedNodesMap{},
	}
	for _, node := range args.Nodes.Items {
		switch price, known := p.of(&node); {
		case !known:
			result.FailedAndUnresolvableNodes[node.Name] = "price of the node is not known"
		case price > limit:
			result.FailedAndUnresolvableNodes[node.Name] = fmt.Sprintf("node costs more than %s an hour", most)
		default:
			result.Nodes.Items = append(result.Nodes.Items, node)
		}
	}
	return result
}

// Prioritize gives the cheapest node the highest score, and one whose price is not known none.
func (p Prices) Prioritize(args *extenderv1.ExtenderArgs) extenderv1.HostPriorityList {
	dearest := 0.0
	for _, price := range p {
		dearest = max(dearest, price)
	}
	scores := extenderv1.HostPriorityList{}
	for _, node := range args.Nodes.Items {
		score := int64(0)
		if price, known := p.of(&node); known && dearest > 0 {
			score = int64(float64(extenderv1.MaxExtenderPriority) * (dearest - price) / dearest)
		}
		scores = append(scores, extenderv1.HostPriority{Host: node.Name, Score: score})
	}
	return scores
}

func (p Prices) of(node *corev1.Node) (price float64, known bool) {
	price, known = p[node.Labels[corev1.LabelInstanceTypeStable]]
	return price, known
}
