package trace

// Spread is a rule about how evenly pods are spread over the domains of nodes, as a cycle found it.
type Spread struct {
	Topology string // the label of nodes whose values are the domains
	MaxSkew  int64
	// what domains are measured against: the fewest pods in any of them, or 0 where there are fewer domains than the
	// rule requires
	Fewest     int64
	MinDomains int64 // how many domains the rule asks for; 1: it asks for none
	Self       int64 // 1 when the pod of the cycle counts itself, else 0
	Domains    []Domain
}

// Domain is the nodes with one value of a label.
type Domain struct {
	Name string
	Pods int64 // that the rule counts
}

// Most is how many pods a domain may have when the pod of the cycle has come to it.
func (s *Spread) Most() int64 { return s.Fewest + s.MaxSkew }

// Takes reports whether the rule lets the pod of the cycle go to a domain.
func (s *Spread) Takes(d Domain) bool { return d.Pods+s.Self <= s.Most() }
