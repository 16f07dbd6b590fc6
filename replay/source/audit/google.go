package audit

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// logEntry is what is read of a LogEntry of Google Cloud.
type logEntry struct {
	ID        string            `json:"insertId"`
	Labels    map[string]string `json:"labels"`
	At        time.Time         `json:"timestamp"`
	Operation struct {
		First bool `json:"first"`
		Last  bool `json:"last"`
	} `json:"operation"`
}

// auditLog is what is read of its protoPayload.
type auditLog struct {
	User struct {
		Name string `json:"principalEmail"`
	} `json:"authenticationInfo"`
	Method   string `json:"methodName"`
	Resource string `json:"resourceName"`
	Caller   struct {
		Agent string `json:"callerSuppliedUserAgent"`
	} `json:"requestMetadata"`
	Status struct {
		Code int `json:"code"`
	} `json:"status"`
	Sent     jsontext.Value `json:"request"`
	Answered jsontext.Value `json:"response"`
}

// google reads an entry of Google Cloud as the audit entry that it was made of.
func (l *Log) google(stream string, raw, payload []byte) {
	var outer logEntry
	var a auditLog
	if json.Unmarshal(raw, &outer, lenient) != nil || json.Unmarshal(payload, &a, lenient) != nil {
		l.Counts.Broken++
		return
	}
	l.Counts.Entries++
	if outer.Operation.First && !outer.Operation.Last {
		return // the same request comes again when it has ended
	}
	e := entry{
		AuditID: outer.ID, Stage: "ResponseComplete", Agent: a.Caller.Agent, Sent: a.Sent, Answered: a.Answered,
		At: outer.At, Notes: outer.Labels,
	}
	e.User.Name = a.User.Name
	e.Ref, e.Verb = resourceOf(a.Resource, a.Method)
	e.Did.Code = httpOf(a.Status.Code, e.Verb)
	if outer.Labels["command.gke.io/dryRun"] != "" {
		e.URI = "?dryRun=All"
	}
	if e.Did.Code == 201 && e.Verb == "patch" && !created(&e) {
		e.Did.Code = 200
	}
	l.entry(stream, &e)
}

// created reports whether a patch made the object that was answered: a log of Google Cloud does not have the code 201.
func created(e *entry) bool {
	var o struct {
		Metadata struct {
			Generation int64     `json:"generation"`
			Created    time.Time `json:"creationTimestamp"`
		} `json:"metadata"`
	}
	if e.Ref.Subresource != "" || json.Unmarshal(e.Answered, &o, lenient) != nil {
		return false
	}
	return o.Metadata.Generation == 1 && e.At.Sub(o.Metadata.Created).Abs() < 2*time.Second
}

// httpOf is the HTTP status for a status of gRPC; 0 is success. A patch may have created its object.
func httpOf(code int, verb string) int {
	switch {
	case code != 0:
		return 500
	case verb == "create" || verb == "patch":
		return 201
	}
	return 200
}

// resourceOf takes apart "apps/v1/namespaces/NS/replicasets/NAME/scale" and "io.k8s.apps.v1.replicasets.scale.patch".
func resourceOf(resource, method string) (ref, string) {
	parts := strings.Split(resource, "/")
	words := strings.Split(method, ".")
	verb := words[len(words)-1]
	if len(parts) < 3 {
		return ref{}, verb
	}
	r := ref{Group: parts[0], Version: parts[1]}
	if r.Group == "core" {
		r.Group = ""
	}
	parts = parts[2:]
	if parts[0] == "namespaces" && len(parts) > 2 && !strings.Contains(method, ".namespaces.") {
		r.Namespace, parts = parts[1], parts[2:]
	}
	for i, into := range []*string{&r.Resource, &r.Name, &r.Subresource} {
		if i < len(parts) {
			*into = parts[i]
		}
	}
	return r, verb
}
