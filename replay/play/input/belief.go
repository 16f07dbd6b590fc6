package input

import (
	"fmt"
	"os"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/audit"
	"github.com/schedstep/schedstep/replay/source/importer"
	"github.com/schedstep/schedstep/replay/source/schedulerlog"
)

// believe puts what logs of kube-scheduler report beside what an input holds: reasons and nodes, as events of the same
// scheduler would. klog writes no year: it is that of the input's beginning.
func (r *reading) believe(in *Input, names []string) error {
	if len(names) == 0 {
		return nil
	}
	log := &schedulerlog.Log{}
	for _, name := range names {
		if err := r.readBelief(log, name, in.Start.Year()); err != nil {
			return err
		}
	}
	for _, line := range log.Lines {
		namespace, pod, _ := strings.Cut(line.Pod, "/")
		e := importer.PodEvent{Namespace: namespace, Name: pod, At: line.At}
		switch line.What {
		case schedulerlog.Bound:
			e.Reason, e.Message = "Scheduled", fmt.Sprintf("Successfully assigned %s to %s", line.Pod, line.Text)
		case schedulerlog.Failed:
			e.Reason, e.Message = "FailedScheduling", line.Text
		case schedulerlog.Attempt, schedulerlog.Moved, schedulerlog.Victim:
			continue
		}
		in.events = append(in.events, e)
	}
	in.Began = log.Began
	in.note("log of kube-scheduler: %d attempts, %d bindings, %d without a node, %d moves between queues, %d victims, "+
		"%d starts", log.Counts[schedulerlog.Attempt], log.Counts[schedulerlog.Bound], log.Counts[schedulerlog.Failed],
		log.Counts[schedulerlog.Moved], log.Counts[schedulerlog.Victim], log.Starts)
	if log.Broken > 0 {
		in.Refused = append(in.Refused, phrase.Textf(
			"log of kube-scheduler: left out %d lines that are cut, or of no form of klog", log.Broken,
		))
	}
	return nil
}

func (r *reading) readBelief(log *schedulerlog.Log, name string, year int) error {
	f, err := os.Open(name)
	if err != nil {
		return phrase.Errorf("%s cannot be read: %w", name, err)
	}
	defer func() { _ = f.Close() }()
	from, err := audit.Unpacked(f)
	if err != nil {
		return phrase.Errorf("%s cannot be unpacked: %w", name, err)
	}
	if err := log.Read(r.ctx, from, year); err != nil {
		return phrase.Errorf("%s: %w", name, err)
	}
	return nil
}
