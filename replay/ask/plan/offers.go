package plan

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	kyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Offer is a kind of node that can be had.
type Offer struct {
	Name  string
	Price int64 // of one, in billionths of the unit of the file
	Most  int   // of them; 0: any number
	Node  *corev1.Node
	like  *corev1.Node // whose drivers it has; nil: it has none

	usualPods bool // how many pods it admits is assumed
}

// priceUnit is how many parts of a price are one.
const priceUnit = 1_000_000_000

// offersFile is a document of a file of offers.
type offersFile struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Metadata   any           `json:"metadata,omitempty"`
	Offers     []writtenFrom `json:"offers"`
}

// writtenFrom is one offer as it is written.
type writtenFrom struct {
	Name  string       `json:"name"`
	Like  string       `json:"like,omitempty"` // a node of the cluster
	Node  *corev1.Node `json:"node,omitempty"`
	Pool  string       `json:"pool,omitempty"` // a NodePool of the same file
	Price string       `json:"price,omitempty"`
	Most  int          `json:"most,omitempty"`
	Zones []string     `json:"zones,omitempty"`
}

// kindOfOffers is the kind of a document of offers.
const kindOfOffers = "NodeOffers"

// Templates reads a file of nodes where there is no cluster: offers as Offers reads them, and Nodes as they are.
func Templates(data []byte) ([]Offer, error) { return (&Fleet{}).Offers(data) }

// Offers reads a file of offers: documents of kind NodeOffers, NodePools of Karpenter, which offers name, and
// MachineDeployments with the annotations of the cluster autoscaler. Other documents are passed over.
func (f *Fleet) Offers(data []byte) ([]Offer, error) {
	var written []writtenFrom
	pools := map[string]*nodePool{}
	var machines []Offer
	err := eachDocument(data, func(one json.RawMessage) error {
		switch kindOf(one) {
		case string(cluster.KindNode):
			if f.Player != nil {
				return nil
			}
			o, err := nodeOffer(one)
			machines = append(machines, o)
			return err
		case kindOfOffers:
			var file offersFile
			err := yaml.UnmarshalStrict(one, &file)
			written = append(written, file.Offers...)
			return err
		case "NodePool":
			p := &nodePool{}
			err := json.Unmarshal(one, p)
			pools[p.Metadata.Name] = p
			return err
		case "MachineDeployment":
			o, is, err := machineOffer(one)
			if is {
				machines = append(machines, o)
			}
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var offers []Offer
	for i := range written {
		if written[i].Name == "" {
			return nil, phrase.Errorf("offer %d: it has no name", i+1)
		}
		of, err := f.offersOf(&written[i], pools)
		if err != nil {
			return nil, err
		}
		offers = append(offers, of...)
	}
	return f.checked(append(offers, machines...))
}

// eachDocument visits every object of a file, those of lists too. An error names the document.
func eachDocument(data []byte, visit func(one json.RawMessage) error) error {
	for reader, n := kyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data))), 1; ; n++ {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return phrase.Errorf("document %d: %w", n, err)
		}
		all, err := documentsIn(document)
		for i := 0; err == nil && i < len(all); i++ {
			err = visit(all[i])
		}
		if err != nil {
			return phrase.Errorf("document %d: %w", n, err)
		}
	}
}

// kindOf is the kind of an object; "": it has none.
func kindOf(object []byte) string {
	var head struct {
		Kind string `json:"kind"`
	}
	_ = json.Unmarshal(object, &head) // what has no kind is passed over
	return head.Kind
}

// nodeOffer is a Node as it is.
func nodeOffer(manifest []byte) (Offer, error) {
	n, err := ReadNode(manifest)
	if err != nil {
		return Offer{}, err
	}
	whole, usual, err := wholeNode(n)
	return Offer{Name: n.Name, Price: priceUnit, Node: whole, usualPods: usual}, err
}

// checked refuses an empty list, and two offers of one name.
func (f *Fleet) checked(offers []Offer) ([]Offer, error) {
	if len(offers) == 0 {
		if f.Player == nil {
			return nil, phrase.Errorf("it has no Node, and no offer of one (docs/plans.md)")
		}
		return nil, phrase.Errorf("it has no offer: a document of kind NodeOffers lists them")
	}
	seen := map[string]bool{}
	for i := range offers {
		if seen[offers[i].Name] {
			return nil, phrase.Errorf("two offers have the name %q", offers[i].Name)
		}
		seen[offers[i].Name] = true
	}
	return offers, nil
}

// documentsIn are the objects of a document, as JSON: itself, or the items of a List.
func documentsIn(document []byte) ([]json.RawMessage, error) {
	raw, err := yaml.YAMLToJSON(document)
	if err != nil {
		return nil, err
	}
	var list struct {
		Kind  string            `json:"kind"`
		Items []json.RawMessage `json:"items"`
	}
	if json.Unmarshal(raw, &list) == nil && strings.HasSuffix(list.Kind, "List") {
		return list.Items, nil
	}
	return []json.RawMessage{raw}, nil
}

// priceOf reads an amount of money; one that is not written is 1.
func priceOf(text string) (int64, error) {
	if text == "" {
		return priceUnit, nil
	}
	r, is := new(big.Rat).SetString(text)
	if !is || strings.ContainsAny(text, "eE/") || r.Sign() < 0 {
		return 0, phrase.Errorf("price %q: it is an amount such as 0.192", text)
	}
	r.Mul(r, big.NewRat(priceUnit, 1))
	if !r.IsInt() || !r.Num().IsInt64() || r.Num().Int64() > 1_000_000*priceUnit {
		return 0, phrase.Errorf("price %q: at most 1000000, with at most 9 decimals", text)
	}
	return r.Num().Int64(), nil
}

// Price writes an amount of money.
func Price(amount int64) string {
	text := strings.TrimRight(big.NewRat(amount, priceUnit).FloatString(9), "0")
	return strings.TrimSuffix(text, ".")
}

// offersOf are the offers that one that is written stands for: one for each zone.
func (f *Fleet) offersOf(w *writtenFrom, pools map[string]*nodePool) ([]Offer, error) {
	price, err := priceOf(w.Price)
	if err != nil {
		return nil, phrase.Errorf("offer %s: %w", w.Name, err)
	}
	o := Offer{Name: w.Name, Price: price, Most: w.Most}
	switch {
	case w.Most < 0:
		return nil, phrase.Errorf("offer %s: most is negative", w.Name)
	case w.Like != "" && w.Node != nil || w.Like == "" && w.Node == nil:
		return nil, phrase.Errorf("offer %s: it has either like, a node of the cluster, or node", w.Name)
	case w.Like != "" && f.Player == nil:
		return nil, phrase.Errorf("offer %s: like is a node of a cluster, and there is none", w.Name)
	case w.Like != "":
		n, is := f.Player.Scheduler().State().Node(w.Like)
		if !is || n.API == nil {
			return nil, phrase.Errorf("offer %s: there is no node %q here", w.Name, w.Like)
		}
		o.like, o.Node = n.API, nodeLike(n.API, w.Name, NewNode{})
	default:
		whole, usual, err := wholeNode(w.Node)
		if err != nil {
			return nil, phrase.Errorf("offer %s: %w", w.Name, err)
		}
		o.Node, o.usualPods = nodeLike(whole, w.Name, NewNode{}), usual
	}
	all := []Offer{o}
	if len(w.Zones) > 0 {
		all = nil
		for _, zone := range w.Zones {
			in := o
			in.Name, in.Node = w.Name+" in "+zone, nodeLike(o.Node, w.Name, NewNode{
				Labels: map[string]string{corev1.LabelTopologyZone: zone},
			})
			all = append(all, in)
		}
	}
	if w.Pool == "" {
		return all, nil
	}
	pool, is := pools[w.Pool]
	if !is {
		return nil, phrase.Errorf("offer %s: the file has no NodePool %q", w.Name, w.Pool)
	}
	return pool.offers(all, f.usedIn(w.Pool))
}

// poolKeys are the labels by which a node shows the pool that it is of.
var poolKeys = []string{
	"karpenter.sh/nodepool", "eks.amazonaws.com/nodegroup", "cloud.google.com/gke-nodepool",
	"kubernetes.azure.com/agentpool",
}

// PoolsAsOffers are the pools of the cluster's nodes as offers of one price: a node like the newest of each, in each of
// its zones.
func (f *Fleet) PoolsAsOffers() ([]Offer, error) {
	newest := map[string]*corev1.Node{}
	for _, n := range f.Player.Scheduler().State().Snapshot().Nodes {
		if n.API == nil {
			continue
		}
		at := slices.IndexFunc(poolKeys, func(key string) bool { return n.API.Labels[key] != "" })
		if at < 0 {
			continue
		}
		name := n.API.Labels[poolKeys[at]]
		if zone := n.API.Labels[corev1.LabelTopologyZone]; zone != "" {
			name += " in " + zone
		}
		if has := newest[name]; has == nil || has.CreationTimestamp.Before(&n.API.CreationTimestamp) {
			newest[name] = n.API
		}
	}
	if len(newest) == 0 {
		return nil, phrase.Errorf("no node shows a pool by one of the labels %s", strings.Join(poolKeys, ", "))
	}
	var offers []Offer
	for _, name := range slices.Sorted(maps.Keys(newest)) {
		n := newest[name]
		offers = append(offers, Offer{Name: name, Price: priceUnit, like: n, Node: nodeLike(n, name, NewNode{})})
	}
	return offers, nil
}

// The annotations of a MachineDeployment that describe its nodes (cluster autoscaler, provider clusterapi).
const (
	capacityKey = "capacity.cluster-autoscaler.kubernetes.io/"
	mostNodes   = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size"
	priceKey    = "schedstep.dev/price"
)

// machineOffer is the offer of a MachineDeployment; false where it does not describe its nodes.
func machineOffer(raw []byte) (Offer, bool, error) {
	var m struct {
		Metadata struct {
			Name        string            `json:"name"`
			Annotations map[string]string `json:"annotations"`
		} `json:"metadata"`
		Spec struct {
			Replicas int `json:"replicas"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return Offer{}, false, err
	}
	has := m.Metadata.Annotations
	node := &corev1.Node{Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{}}}
	for key, name := range map[string]corev1.ResourceName{
		"cpu": corev1.ResourceCPU, "memory": corev1.ResourceMemory, "ephemeral-disk": corev1.ResourceEphemeralStorage,
		"maxPods": corev1.ResourcePods, "gpu-count": corev1.ResourceName(has[capacityKey+"gpu-type"]),
	} {
		if text := has[capacityKey+key]; text != "" && name != "" {
			amount, err := resource.ParseQuantity(text)
			if err != nil {
				return Offer{}, false, phrase.Errorf("MachineDeployment %s: %s %q: %w", m.Metadata.Name, capacityKey+key, text, err)
			}
			node.Status.Allocatable[name] = amount
		}
	}
	if _, cpu := node.Status.Allocatable[corev1.ResourceCPU]; !cpu {
		return Offer{}, false, nil
	}
	node, usual, err := wholeNode(node)
	if err != nil {
		return Offer{}, false, err
	}
	node.Labels = map[string]string{}
	for pair := range strings.SplitSeq(has[capacityKey+"labels"], ",") {
		if key, value, is := strings.Cut(strings.TrimSpace(pair), "="); is {
			node.Labels[key] = value
		}
	}
	for text := range strings.SplitSeq(has[capacityKey+"taints"], ",") {
		pair, effect, is := strings.Cut(strings.TrimSpace(text), ":")
		if key, value, _ := strings.Cut(pair, "="); is {
			node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)})
		}
	}
	price, err := priceOf(has[priceKey])
	if err != nil {
		return Offer{}, false, phrase.Errorf("MachineDeployment %s: %w", m.Metadata.Name, err)
	}
	o := Offer{Name: m.Metadata.Name, Price: price, Node: node, usualPods: usual}
	if most, err := strconv.Atoi(has[mostNodes]); err == nil {
		if o.Most = most - m.Spec.Replicas; o.Most <= 0 {
			return Offer{}, false, nil
		}
	}
	return o, true, nil
}
