package view

import "github.com/schedstep/schedstep/internal/words"

// Order is how the nodes of a table are sorted. Equals are in the order of the snapshot.
type Order uint8

// The orders.
const (
	ByVerdict     Order = iota // the chosen node, those that fit by total, the nearest misses, those that were not tried
	ByTotal                    // the highest total score first; nodes without one last
	ByNearestMiss              // the fewest failing filters first, of equals the smallest shortage
	ByName
	BySnapshot // as kube-scheduler has them
)

var textOrders = [...]string{"verdict", "total", "nearest miss", "name", "snapshot"}

// Orders are all of them, in the order a key goes through them.
func Orders() []Order { return []Order{ByVerdict, ByTotal, ByNearestMiss, ByName, BySnapshot} }

// String is the word for the order, as sort takes it.
func (o Order) String() string {
	if int(o) < len(textOrders) {
		return textOrders[o]
	}
	return "order?"
}

// Heading is the name of the order for the user: the word above the column, where there is one.
func (o Order) Heading(lang words.Language) string { return lang.Of(o.String()) }
