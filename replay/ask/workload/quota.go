package workload

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/manager"
	"github.com/schedstep/schedstep/replay/play/request"
)

// Denied are pods of a workload that its controller has not made, because a quota does not let it.
type Denied struct {
	Missing int         // pods
	Message string      // of the API server
	Command phrase.Text // which has the quota allow them; "": the pods name too little for the quota
	Fit     int         // pods of the workload with a node after that; it was run
}

// quotas finds the pods of a workload that quotas do not let its controllers make, and runs the quotas raised by as
// much as these pods take.
func (f *finder) quotas() error {
	p, m, err := f.managed()
	if err != nil {
		return err
	}
	for _, d := range m.Denied(p.Scheduler().State()) {
		if !f.makes(d, m, p.Scheduler().State()) {
			continue
		}
		found := Denied{Missing: d.Missing, Message: d.Why.Message, Fit: f.of.Fit()}
		if raise, can := d.Raise(d.Missing); can {
			if err := f.raised(&found, raise); err != nil {
				return err
			}
		}
		f.answer.Denied = append(f.answer.Denied, found)
	}
	return f.ctx.Err()
}

// makes reports whether a controller makes the pods of the workload.
func (f *finder) makes(d manager.Denied, m *manager.Manager, state *cluster.State) bool {
	if d.Kind == f.of.Kind && d.Key == f.of.Key() {
		return true
	}
	set, is := m.Find(state, d.On())
	if !is {
		return false
	}
	by := metav1.GetControllerOf(set)
	return by != nil && cluster.Kind(by.Kind) == f.of.Kind && set.GetNamespace()+"/"+by.Name == f.of.Key()
}

// raised runs the cluster with the quota raised.
func (f *finder) raised(found *Denied, raise request.Request) error {
	p, _, err := f.managed()
	if err != nil {
		return err
	}
	if err := send(p, raise); err != nil {
		return err
	}
	f.settle(p)
	then := f.of
	then.count(p.Scheduler().State())
	found.Command, found.Fit = raise.Command(), then.Fit()
	return nil
}
