// Package audit reads audit logs of Kubernetes API servers (audit.k8s.io/v1, JSON), plain or as Google, Amazon,
// Microsoft, OpenShift and log shippers wrap them, and hands on the writes in them. It streams, opens no file, rebuilds
// no object (package history does), and keeps nothing of requests for kinds that no scheduler reads: Secrets, tokens
// and ConfigMaps are skipped before their bodies are decoded.
package audit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/history"
	"github.com/schedstep/schedstep/replay/source/importer"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// Log gathers the writes of one cluster's audit logs, file by file, in any order. The zero value keeps everything.
type Log struct {
	To    time.Time      // entries after it are left out; zero: none are
	Whole bool           // keep what no scheduler reads of pods
	Most  int64          // bytes of bodies that are kept; 0: no limit
	Pulse bool           // keep the renewals of leases: at every level they show moments of revisions
	Vault *history.Vault // keeps the objects that were answered; nil: Writes has them as they are

	Writes []*history.Write
	Marks  []history.Mark
	Leases []*history.Write // for Pulse; no object is in them
	Counts Counts

	servers map[string]int32
	seen    map[[16]byte]bool
	texts   map[string]string // of names that were seen, each once in memory
	kept    int64             // of what is not in Vault
	waiting []body            // writes in the order of the log that are not in Writes yet
	held    int               // bytes of their bodies
	coming  []body            // those before, whose bodies are being decoded
	decoded sync.WaitGroup    // for coming
	scratch []byte
}

// Counts are what the log had, and what of it was lost.
type Counts struct {
	Entries   int64 // of any kind
	Bytes     int64 // after unpacking
	Broken    int   // lines and values that are no audit entry, or cut
	Truncated int   // entries that were cut, or whose bodies were dropped, for their size
	Twice     int   // entries that were read before
	Undecoded int   // bodies of kinds that are read, and that could not be decoded
	Metadata  int   // writes of kinds that are read, without any body
	Request   int   // with the body that was sent alone
	Response  int   // with the body that was answered
	Refused   int   // evictions that a PodDisruptionBudget did not allow
	Outside   int   // writes after To
	Panics    int   // requests of which it is not known whether they happened
	Full      bool  // Most was reached: what came later is not there

	Scheduler string // the release in the user agent of a scheduler: "1.37"; "" when none has one
	Server    string // likewise of an API server
}

// entry is what is read of an audit entry.
type entry struct {
	APIVersion string `json:"apiVersion"`
	Level      string `json:"level"`
	AuditID    string `json:"auditID"`
	Stage      string `json:"stage"`
	URI        string `json:"requestURI"`
	Verb       string `json:"verb"`
	User       struct {
		Name string `json:"username"`
	} `json:"user"`
	Agent string `json:"userAgent"`
	Ref   ref    `json:"objectRef"`
	Did   struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
	Sent     jsontext.Value    `json:"requestObject"`
	Answered jsontext.Value    `json:"responseObject"`
	Received time.Time         `json:"requestReceivedTimestamp"`
	At       time.Time         `json:"stageTimestamp"`
	Notes    map[string]string `json:"annotations"`
	Items    []jsontext.Value  `json:"items"`
}

type ref struct {
	Resource    string `json:"resource"`
	Namespace   string `json:"namespace"`
	Name        string `json:"name"`
	UID         string `json:"uid"`
	Group       string `json:"apiGroup"`
	Version     string `json:"apiVersion"`
	Revision    string `json:"resourceVersion"`
	Subresource string `json:"subresource"`
}

// lenient is how entries are decoded: names that are there twice and bad UTF-8 are no reason to lose one.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// errFull ends the reading of a log that is too large.
var errFull = phrase.Errorf("the bodies of the log are larger than --max-input allows")

// Read adds the entries of one file or stream. The error is that of the reader, or of the context; damage inside is
// counted.
func (l *Log) Read(ctx context.Context, name string, in io.Reader) error {
	if l.servers == nil {
		l.servers, l.seen, l.texts = map[string]int32{}, map[[16]byte]bool{}, map[string]string{}
	}
	err := values(ctx, in, &l.Counts, func(raw []byte) error {
		l.value(name, raw, 0)
		if l.Counts.Full {
			return errFull
		}
		return nil
	})
	l.decode()
	l.take()
	if errors.Is(err, errFull) {
		return nil
	}
	if err != nil {
		return phrase.Errorf("%s: %w", name, err)
	}
	return nil
}

// server is the number of a stream.
func (l *Log) server(name string) int32 {
	n, known := l.servers[name]
	if !known {
		n = int32(len(l.servers))
		l.servers[name] = n
	}
	return n
}

// event reads one audit entry in Kubernetes' own form.
func (l *Log) event(stream string, raw []byte) {
	if skipped(raw) {
		l.Counts.Entries++
		return
	}
	if l.foreign(raw) {
		return
	}
	var e entry
	defer func() {
		clear(e.Sent) // copies of what may be secret
		clear(e.Answered)
	}()
	if json.Unmarshal(raw, &e, lenient) != nil {
		l.Counts.Broken++
		return
	}
	for _, item := range e.Items {
		l.event(stream, item)
	}
	if len(e.Items) > 0 {
		return
	}
	l.Counts.Entries++
	l.entry(stream, &e)
}

// foreign reports whether an entry is about a kind that no scheduler reads, and takes the revision that it shows. It
// copies nothing of such an entry: it may be a Secret.
func (l *Log) foreign(raw []byte) bool {
	about := text.Member(raw, "objectRef")
	member := func(of []byte, name string) string { return text.Unquote(text.Member(of, name)) }
	if len(about) == 0 || about[0] != '{' || raw[len(raw)-1] != '}' || text.Member(raw, "items") != nil {
		return false
	}
	r := ref{Resource: member(about, "resource"), Group: member(about, "apiGroup")}
	if r.Resource == "" || r.Resource == "leases" || rowOf(r) != nil {
		return false
	}
	l.Counts.Entries++
	l.agent(member(raw, "userAgent"))
	_, writes := verbs[member(raw, "verb")]
	code, _ := strconv.Atoi(string(text.Member(text.Member(raw, "responseStatus"), "code")))
	if !writes || member(raw, "stage") != "ResponseComplete" || code < 200 || code > 299 ||
		strings.Contains(member(raw, "requestURI"), "dryRun=") {
		return true
	}
	at, err := time.Parse(time.RFC3339Nano, cmp.Or(member(raw, "stageTimestamp"), member(raw, "requestReceivedTimestamp")))
	if err != nil || !l.To.IsZero() && at.After(l.To) {
		return true
	}
	if n := revisionOf(text.Member(raw, "responseObject")); n != 0 {
		l.Marks = append(l.Marks, history.Mark{Revision: n, At: at.UTC()})
	}
	return true
}

// skipped finds by their text the entries that change nothing, which most of a log is: other stages, and reads. API
// servers write the stage and the verb before any body.
func skipped(raw []byte) bool {
	head := raw[:min(len(raw), 4096)]
	if stage, found := valueBehind(head, `"stage":"`); found && stage == "RequestReceived" || stage == "ResponseStarted" {
		return true
	}
	verb, found := valueBehind(head, `"verb":"`)
	return found && (verb == "get" || verb == "watch" || verb == "list")
}

func valueBehind(head []byte, name string) (string, bool) {
	_, rest, found := bytes.Cut(head, []byte(name))
	if !found {
		return "", false
	}
	value, _, ended := bytes.Cut(rest, []byte{'"'})
	return string(value), ended
}

var verbs = map[string]history.Verb{
	"create": history.Create, "update": history.Update, "patch": history.Patch, "delete": history.Delete,
	"deletecollection": history.DeleteCollection,
}

// entry keeps an entry when it is a write that happened, of a kind that is read.
func (l *Log) entry(stream string, e *entry) {
	l.agent(e.Agent)
	verb, writes := verbs[e.Verb]
	switch {
	case writes && (e.Stage == "Panic" || e.Stage == "ResponseComplete" && e.Did.Code == 0):
		l.Counts.Panics++
		return
	case e.Stage != "ResponseComplete" || !writes || strings.Contains(e.URI, "dryRun="):
		return
	case e.Ref.Subresource == "eviction" && e.Did.Code == 429:
		l.Counts.Refused++
		return
	case e.Did.Code < 200 || e.Did.Code > 299:
		return
	}
	if e.At.IsZero() {
		e.At = e.Received
	}
	e.At = e.At.UTC()
	if !l.To.IsZero() && e.At.After(l.To) {
		l.Counts.Outside++
		return
	}
	row := rowOf(e.Ref)
	if row == nil || !keeps(e.Ref.Subresource) {
		if n := revisionOf(e.Answered); n != 0 {
			l.Marks = append(l.Marks, history.Mark{Revision: n, At: e.At})
		}
		l.renewal(e)
		return
	}
	id := identity(e)
	if l.seen[id] {
		l.Counts.Twice++
		return
	}
	l.seen[id] = true
	l.write(stream, e, row, verb)
}

// leases stand for a row that the table of kinds does not have.
var leases = &cluster.KindRow{Kind: "Lease"}

// renewal keeps when a lease was renewed, and the revision that it had before.
func (l *Log) renewal(e *entry) {
	if !l.Pulse || e.Ref.Resource != "leases" {
		return
	}
	w := history.Write{Request: history.NoRequest, At: e.At, Row: leases, Namespace: e.Ref.Namespace, Name: e.Ref.Name}
	w.Before, _ = strconv.ParseUint(e.Ref.Revision, 10, 64)
	l.Leases = append(l.Leases, &w)
}

// keeps reports whether writes of a subresource change what is read.
func keeps(sub string) bool {
	switch sub {
	case "", "status", "binding", "eviction", "resize", "ephemeralcontainers", "scale":
		return true
	}
	return false
}

// identity is equal for two copies of one entry, and for no others.
func identity(e *entry) [16]byte {
	h := fnv.New128a()
	_, _ = io.WriteString(h, e.AuditID)
	if e.AuditID == "" {
		_, _ = fmt.Fprint(h, e.At.UnixNano(), e.Verb, e.URI, e.Ref)
	}
	return [16]byte(h.Sum(nil))
}

// rowOf finds the kind of a resource; nil for one that no scheduler reads.
func rowOf(r ref) *cluster.KindRow {
	for _, row := range cluster.KindRows() {
		if row.GroupVersionResource().Resource == r.Resource &&
			(row.Group == r.Group || row.OlderGroup != "" && row.OlderGroup == r.Group) {
			if row.Reader == cluster.ReadByNobody {
				return nil
			}
			return row
		}
	}
	return nil
}

// write keeps a write.
func (l *Log) write(stream string, e *entry, row *cluster.KindRow, verb history.Verb) {
	w := history.Write{
		At: e.At, Verb: verb, Sub: l.once(e.Ref.Subresource), Row: row, Namespace: l.once(e.Ref.Namespace),
		Name: l.once(e.Ref.Name), Request: &history.Request{}, Created: verb == history.Patch && e.Did.Code == 201,
		Server: l.server(stream),
	}
	w.Before, _ = strconv.ParseUint(e.Ref.Revision, 10, 64)
	if verb == history.Create && w.Sub == "" || verb == history.Delete {
		w.Before = 0 // of a Scale or of preconditions
	}
	if e.Notes["audit.k8s.io/truncated"] == "true" {
		l.Counts.Truncated++
	}
	if _, query, has := strings.Cut(e.URI, "?"); has && verb == history.DeleteCollection {
		values, _ := url.ParseQuery(query)
		w.Chosen = &history.Collection{Labels: values.Get("labelSelector"), Fields: values.Get("fieldSelector")}
	}
	if w.Sub == "binding" {
		w.By = l.once(e.User.Name)
	}
	l.bodies(&w, e)
}

// once is a text whose memory all that are the same share.
func (l *Log) once(text string) string {
	if same, seen := l.texts[text]; seen {
		return same
	}
	text = strings.Clone(text)
	l.texts[text] = text
	return text
}

// size is how many bytes of bodies are kept.
func (l *Log) size() int64 {
	if l.Vault == nil {
		return l.kept
	}
	return l.kept + l.Vault.Size()
}

// listed are the objects of a list, which have no kind of their own.
func (l *Log) listed(row *cluster.KindRow, list []byte) []cluster.Object {
	items := text.Member(list, "items")
	version := text.Unquote(text.Member(list, "apiVersion"))
	var all []cluster.Object
	_ = text.Elements(items, func(_, start, end int) bool {
		raw := items[start:end]
		if len(raw) < 2 || raw[0] != '{' {
			return true
		}
		l.scratch = fmt.Appendf(l.scratch[:0], `{"kind":%q,"apiVersion":%q`, row.Kind, version)
		if inner := bytes.TrimSpace(raw[1:]); len(inner) > 0 && inner[0] != '}' {
			l.scratch = append(l.scratch, ',')
		}
		l.scratch = append(l.scratch, raw[1:]...)
		o, err := importer.Decode(l.scratch, l.Whole)
		if err != nil {
			l.Counts.Undecoded++
			return true
		}
		all = append(all, o)
		return true
	})
	return all
}

func kindIn(raw []byte) string { return text.Unquote(text.Member(raw, "kind")) }

// revisionOf is the resourceVersion in an object; 0: it has none.
func revisionOf(raw []byte) uint64 {
	if len(raw) == 0 || raw[0] != '{' {
		return 0
	}
	n, err := strconv.ParseUint(text.Unquote(text.Member(text.Member(raw, "metadata"), "resourceVersion")), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func prefixIn(raw []byte) string {
	return text.Unquote(text.Member(text.Member(raw, "metadata"), "generateName"))
}
