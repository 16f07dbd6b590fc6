package sweep

import (
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/session/room"
)

// Prices are what an hour of nodes costs, in any currency.
type Prices struct {
	byAmount []price // of a core, a GiB of memory, or a piece of anything else that a node can give
	byLabel  []price // of a node with a label; the first that fits holds, and its amounts cost nothing
}

// price is an amount of money for a resource, or for a label.
type price struct {
	resource   string
	key, value string // of the label
	money      float64
}

// ParsePrices reads RESOURCE=PRICE, or KEY=VALUE:PRICE for nodes with a label.
func ParsePrices(texts []string) (Prices, error) {
	var p Prices
	for _, text := range texts {
		key, rest, _ := strings.Cut(text, "=")
		value, number, labelled := cutLast(rest, ":")
		if !labelled {
			number = rest
		}
		money, err := strconv.ParseFloat(number, 64)
		if err != nil || money < 0 || money > 1e12 || key == "" {
			return p, phrase.Errorf("%q is neither RESOURCE=PRICE (cpu=0.03) nor LABEL=VALUE:PRICE", text)
		}
		if labelled {
			p.byLabel = append(p.byLabel, price{key: key, value: value, money: money})
		} else {
			p.byAmount = append(p.byAmount, price{resource: key, money: money})
		}
	}
	return p, nil
}

func cutLast(text, divider string) (before, after string, found bool) {
	at := strings.LastIndex(text, divider)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+len(divider):], true
}

// ofUsed is what an hour of the nodes costs that have a pod.
func (p *Prices) ofUsed(nodes []*cluster.Node) float64 {
	cost := 0.0
	for _, n := range nodes {
		if len(n.Pods) > 0 {
			cost += p.of(n)
		}
	}
	return cost
}

// units are how much of a resource's smallest unit a price is for.
var units = []struct {
	resource string
	amount   float64
}{{"cpu", 1000}, {"memory", 1 << 30}, {"ephemeral-storage", 1 << 30}}

// of is what an hour of one node costs.
func (p *Prices) of(n *cluster.Node) float64 {
	for _, l := range p.byLabel {
		if value, has := n.Label(l.key); has && value == l.value {
			return l.money
		}
	}
	cost := 0.0
	for _, r := range p.byAmount {
		unit := 1.0
		for _, u := range units {
			if u.resource == r.resource {
				unit = u.amount
			}
		}
		if slices.Contains(room.Resources(n), r.resource) {
			cost += r.money * float64(room.Of(n, r.resource).All) / unit
		}
	}
	return cost
}
