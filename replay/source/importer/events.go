package importer

import (
	"cmp"
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// PodEvent is an event of a cluster that records what a scheduler decided about a pod. It is no object: no scheduler
// reads it.
type PodEvent struct {
	Namespace, Name, UID string    // of the pod
	Reason               string    // Scheduled or FailedScheduling
	Message              string    // as the scheduler wrote it
	By                   string    // the scheduler that wrote it: "default-scheduler"; "" when it is not named
	At                   time.Time // of its last occurrence; zero: it has no time
}

// eventKind is the kind of events, in every version of theirs.
const eventKind = "Event"

// saysDecision are the reasons of the events that are read; all others are counted.
func saysDecision(reason string) bool { return reason == "Scheduled" || reason == "FailedScheduling" }

// writtenEvent is an event of v1 and of events.k8s.io, which have other names for the same fields.
type writtenEvent struct {
	Metadata  metav1.ObjectMeta `json:"metadata"`
	Reason    string            `json:"reason"`
	Message   string            `json:"message"`
	Note      string            `json:"note"`
	Involved  aboutObject       `json:"involvedObject"`
	Regarding aboutObject       `json:"regarding"`
	Source    component         `json:"source"`
	OldSource component         `json:"deprecatedSource"`
	Component string            `json:"reportingComponent"`
	Reporter  string            `json:"reportingController"`
	Last      metav1.Time       `json:"lastTimestamp"`
	OldLast   metav1.Time       `json:"deprecatedLastTimestamp"`
	Time      metav1.MicroTime  `json:"eventTime"`
	Series    struct {
		Last metav1.MicroTime `json:"lastObservedTime"`
	} `json:"series"`
}

type aboutObject struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

type component struct {
	Component string `json:"component"`
}

// event keeps a decision that an event records; false for events of anything else.
func (d *decoder) event(raw []byte) bool {
	if !saysDecision(text.Unquote(text.Member(raw, "reason"))) {
		return false
	}
	var e writtenEvent
	if json.Unmarshal(raw, &e) != nil {
		return false
	}
	about := e.Involved
	if about.Name == "" {
		about = e.Regarding
	}
	if about.Kind != "Pod" || about.Name == "" {
		return false
	}
	d.found.events = append(d.found.events, PodEvent{
		Namespace: about.Namespace, Name: about.Name, UID: about.UID, Reason: e.Reason,
		Message: cmp.Or(e.Message, e.Note), By: cmp.Or(e.Source.Component, e.OldSource.Component, e.Component, e.Reporter),
		At: latest(e.Last.Time, e.OldLast.Time, e.Time.Time, e.Series.Last.Time, e.Metadata.CreationTimestamp.Time),
	})
	return true
}

// latest is the last of some moments.
func latest(moments ...time.Time) time.Time {
	var last time.Time
	for _, at := range moments {
		if at.After(last) {
			last = at
		}
	}
	return last
}
