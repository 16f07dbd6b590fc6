package trace

import (
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
)

// InScheduler stands where one event goes to several schedulers: the facts after it happened in the scheduler it names.
type InScheduler struct{ Scheduler string }

func (InScheduler) Phase() Phase            { return PhaseCluster }
func (f InScheduler) Phrase() phrase.Phrase { return phrase.New("in scheduler %s", f.Scheduler) }

// KubeletRefused is a kubelet that does not run a pod which was bound to its node: the pod has failed.
type KubeletRefused struct {
	Pod     string
	Node    string
	Reason  string // status.reason, such as "OutOfcpu"
	Message string // status.message
}

func (KubeletRefused) Phase() Phase { return PhaseCluster }
func (f KubeletRefused) Phrase() phrase.Phrase {
	return phrase.New("the kubelet of %s refuses %s: %s: %s", f.Node, f.Pod, f.Reason, f.Message)
}

// DoubleBooked is a node on which several schedulers put pods that do not fit together.
type DoubleBooked struct {
	Node  string
	Books []Booking // the refused pod last
}

// Booking is one pod on a node, and the schedulerName of the scheduler that put it there.
type Booking struct{ Pod, Scheduler string }

func (DoubleBooked) Phase() Phase { return PhaseCluster }
func (f DoubleBooked) Phrase() phrase.Phrase {
	all := make([]string, len(f.Books))
	for i, b := range f.Books {
		all[i] = b.Pod + " (" + b.Scheduler + ")"
	}
	return phrase.New("%s is booked by several schedulers: %s", f.Node, strings.Join(all, ", "))
}

func (InScheduler) fact()    {}
func (KubeletRefused) fact() {}
func (DoubleBooked) fact()   {}
