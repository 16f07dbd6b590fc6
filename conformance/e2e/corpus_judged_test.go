//go:build e2e

package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/versions"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source"
)

// collect ends the control plane and puts its traces into a folder of their own. A write-ahead log has it that an entry
// was agreed on only when the next one comes, so one comes last that no scheduler reads.
func (c *corpus) collect() {
	c.Helper()
	last := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "last", Namespace: "shop"}}
	_, err := c.client.CoreV1().ConfigMaps(last.Namespace).Create(c.Context(), last, metav1.CreateOptions{})
	c.make(nil, err)
	c.plane.Close()
	if c.traces = *corpusKeep; c.traces == "" {
		c.traces = c.file("traces")
	}
	c.make(nil, os.MkdirAll(c.traces, 0o700))
	c.make(nil, os.CopyFS(filepath.Join(c.traces, "member"), os.DirFS(c.file("etcd/member"))))
	for name, from := range map[string]string{
		"watch.jsonl": "watch.jsonl", "audit.log": "audit.log", "snapshot.db": "etcd/member/snap/db",
		"kube-scheduler-1.log": "kube-scheduler-1.log", "kube-scheduler-2.log": "kube-scheduler-2.log",
	} {
		text, err := os.ReadFile(c.file(from))
		c.make(nil, err)
		c.make(nil, os.WriteFile(filepath.Join(c.traces, name), text, 0o600))
	}
	c.derive()
}

// trail is one of the traces, and what is wanted of it.
type trail struct {
	name     string
	files    []string
	whole    bool // it has every version, and leads to the hash of the watch
	bindings int  // so many at least, of which 999 of 1,000 agree, are tied or explained
}

// judge reads each trace alone, and holds it beside the watch.
func (c *corpus) judge() {
	c.Helper()
	watched := seenBySchedulers(c.opened("watch.jsonl").Script)
	want := versions.ByObject(watched)
	total := 0
	hash, _, err := versions.LastHash(watched)
	c.make(nil, err)
	for _, versions := range want {
		total += len(versions)
	}
	for _, s := range []trail{
		{"watch", []string{"watch.jsonl"}, true, *corpusPods},
		{"audit RequestResponse", []string{"audit.log"}, true, *corpusPods},
		{"snapshot", []string{"snapshot.db"}, false, *corpusPods / 3},
		{"member", []string{"member"}, true, *corpusPods},
		{"wal alone", []string{"member/wal"}, true, *corpusPods},
		{"member and audit Metadata", []string{"member", "audit-metadata.log"}, true, *corpusPods},
		{"audit Request", []string{"audit-request.log"}, false, *corpusPods},
		{"audit GKE", []string{"audit-gke.log"}, false, *corpusPods},
		{"audit Metadata", []string{"audit-metadata.log"}, false, 0},
		{
			"scheduler's log and audit",
			[]string{"audit.log", "kube-scheduler-1.log", "kube-scheduler-2.log"},
			true,
			*corpusPods,
		},
	} {
		in := c.opened(s.files...)
		mine := seenBySchedulers(in.Script)
		got := versions.ByObject(mine)
		found, lacking := share(want, got, watched, mine)
		row := fmt.Sprintf("%s: %d of %d versions", s.name, found, total)
		switch {
		case found == total:
			h, _, err := versions.LastHash(versions.InOrderOf(mine, watched))
			if c.make(nil, err); h == hash {
				row += ", in the watch's order the same last hash"
			} else if s.whole {
				c.wrong("%s: last hash %s, that of the watch is %s", s.name, h, hash)
			}
		case s.whole:
			c.wrong("%s: %d of %d versions; lacking %v", s.name, found, total, lacking)
		default:
			row += fmt.Sprintf(" (kinds of objects that lack some: %v)", lacking)
		}
		a := c.agreed(s.files)
		all := a.Hosts.Agreed + a.Hosts.Tied + a.Hosts.Explained + a.Hosts.Different
		c.Logf("%s; hosts %+v, messages %+v, retries %+v", row, a.Hosts, a.Messages, a.Retries)
		if all < s.bindings || s.bindings > 0 && a.Hosts.Different > max(1, all/1000) {
			c.wrong("%s: %d of %d hosts are different", s.name, a.Hosts.Different, all)
			c.shown(a)
		}
	}
	if len(c.faults) > 0 {
		c.Logf("%d faults:\n%s", len(c.faults), strings.Join(c.faults, "\n"))
	}
}

// wrong is an error, which is printed once more at the end of the report.
func (c *corpus) wrong(format string, args ...any) {
	c.Helper()
	fault := fmt.Sprintf(format, args...)
	c.faults = append(c.faults, fault)
	c.Error(fault)
}

// shown logs some of the differences.
func (c *corpus) shown(a agreement) {
	c.Helper()
	n := 0
	for _, d := range a.Decisions {
		if d.Verdict == "different" && n < 20 {
			n++
			c.Logf("%+v", d)
		}
	}
}

// opened reads traces as a user does.
func (c *corpus) opened(files ...string) *input.Input {
	c.Helper()
	in, err := input.Read(c.Context(), c.paths(files), input.Options{})
	c.make(nil, err)
	if len(in.Refused) > 0 {
		c.wrong("%v: refused %q", files, in.Refused)
	}
	for _, notice := range phrase.Strings(in.Notices) {
		c.Logf("  %v: %s", files, notice)
	}
	return in
}

func (c *corpus) paths(files []string) []string {
	paths := make([]string, len(files))
	for i, name := range files {
		paths[i] = filepath.Join(c.traces, name)
	}
	return paths
}

// agreed is the result of run --recorded over traces.
func (c *corpus) agreed(files []string) (a agreement) {
	c.Helper()
	settings := c.file("scheduler.settings")
	c.make(nil, os.WriteFile(settings, configuration(c.T), 0o600))
	args := append([]string{"run", "-A", "--recorded", "-q", "-o", "json", "--fail-on", "never", "--config", settings},
		c.paths(files)...)
	if *shadowGates != "" {
		args = append(args, "--feature-gates", *shadowGates)
	}
	code, text, told := c.output(args...)
	if err := json.Unmarshal([]byte(text), &a); err != nil || code != 0 {
		c.wrong("%v: %d %v %s", files, code, err, told)
	}
	return a
}

// seenBySchedulers is a script as kube-scheduler's watches show it: without Events of the API, which no policy logs,
// and with a pod gone when it is over, since its watch selects the pods that are not.
func seenBySchedulers(script source.Script) source.Script {
	var seen source.Script
	over := map[types.UID]bool{}
	for _, t := range script {
		kind, _ := cluster.KindOf(t.Event.Object)
		pod, is := t.Event.Object.(*corev1.Pod)
		switch {
		case kind == cluster.KindEvent || is && over[pod.UID]:
			continue
		case is && cluster.Finished(pod):
			over[pod.UID] = true
			t.Event.Action = cluster.Delete
		}
		seen = append(seen, t)
	}
	return seen
}

// share counts the versions that a script has of those that are wanted, and names the kinds that lack some.
func share(want, got map[string][]int, wanted, has source.Script) (found int, lacking map[string]int) {
	lacking = map[string]int{}
	for object, indexes := range want {
		mine := got[object]
		n := 0
		for n < min(len(mine), len(indexes)) && has[mine[n]].Event.Action == wanted[indexes[n]].Event.Action {
			n++
		}
		found += n
		if n < len(indexes) || len(mine) > len(indexes) {
			kind, _, _ := strings.Cut(object, " ")
			lacking[kind]++
		}
	}
	return found, lacking
}
