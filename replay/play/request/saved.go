package request

import (
	"encoding/json"
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// verbs are the names of verbs in files. Names stay the same.
var verbs = [...]string{
	nothing: "remark", cordon: "cordon", uncordon: "uncordon", untaint: "untaint", label: "label", unlabel: "unlabel",
	annotate: "annotate", patch: "patch", resize: "resize", remake: "remake", evict: "evict", remove: "delete",
	scale: "scale", await: "await",
}

// saved is a request in a file.
type saved struct {
	Verb       string       `json:"verb"`
	Kind       cluster.Kind `json:"kind,omitempty"`
	Namespace  string       `json:"namespace,omitempty"`
	Name       string       `json:"name,omitempty"`
	Key        string       `json:"key,omitempty"`
	Value      string       `json:"value,omitempty"`
	Operations []Operation  `json:"operations,omitempty"`
	Number     int32        `json:"number,omitempty"`
	Remark     phrase.Text  `json:"remark,omitempty"`
}

// MarshalJSON writes the request as data, from which UnmarshalJSON makes the same request.
func (r Request) MarshalJSON() ([]byte, error) {
	return json.Marshal(saved{
		verbs[r.do], r.On.Kind, r.On.Namespace, r.On.Name, r.key, r.value, r.operations, r.replicas, r.remark,
	})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (r *Request) UnmarshalJSON(text []byte) error {
	var s saved
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	do := slices.Index(verbs[:], s.Verb)
	if do < 0 {
		return phrase.Errorf("a request %q is unknown to this build", s.Verb)
	}
	*r = Request{
		On: Object{s.Kind, s.Namespace, s.Name}, do: verb(do), key: s.Key, value: s.Value, operations: s.Operations,
		replicas: s.Number, remark: s.Remark,
	}
	return nil
}
