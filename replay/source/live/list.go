package live

import (
	"context"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Contents are the objects of a cluster at one moment.
type Contents struct {
	At      time.Time        // when the last list had come
	Objects []cluster.Object // in the order in which those of a dump arrive
	Missing []Missing
}

// Missing are kinds that could not be read for one reason.
type Missing struct {
	Kinds []cluster.Kind // in the order of the table of kinds
	Why   phrase.Text    // as the end of a sentence
}

// Progress is called with how much has come, from several goroutines but never from two at once. It may be nil.
type Progress func(Loaded)

// Loaded is how far the first lists have come.
type Loaded struct {
	Kinds, Of int // kinds whose list is there, of how many
	Objects   int
	Trouble   phrase.Phrase // why nothing more comes; nothing while all is well
}

// pageSize is how many objects are requested of a server at once.
const pageSize = 500

// List reads the objects of every kind that the scheduler reads, once. A kind that the user may not list is in Missing;
// any other fault is an error.
func (c *Cluster) List(ctx context.Context, progress Progress) (*Contents, error) {
	rows := append(c.having(scheduled()), c.custom...)
	l := &loading{progress: progress, loaded: Loaded{Of: len(rows)}}
	found := make([][]cluster.Object, len(rows))
	faults := make([]error, len(rows))
	var all sync.WaitGroup
	for i, row := range rows {
		all.Go(func() {
			found[i], faults[i] = c.listKind(ctx, row, l)
			l.kindIsThere()
		})
	}
	done := l.watchesFor(func() phrase.Phrase {
		if put, is := c.later.worst(); is {
			return c.fault(put).state()
		}
		return phrase.Phrase{}
	})
	all.Wait()
	done()
	contents := &Contents{At: time.Now()}
	var forbidden []cluster.Kind
	for i, row := range rows {
		switch {
		case apierrors.IsForbidden(faults[i]):
			forbidden = append(forbidden, row.Kind)
		case faults[i] != nil:
			return nil, c.sentence(faults[i])
		}
		contents.Objects = append(contents.Objects, found[i]...)
	}
	inOrder(contents.Objects)
	var err error
	contents.Missing, err = c.missing(forbidden, "list")
	return contents, err
}

// missing lists the kinds that are not read. Without nodes and pods nothing is left to show, and that is an error.
func (c *Cluster) missing(forbidden []cluster.Kind, verbs string) ([]Missing, error) {
	var out []Missing
	if len(c.stale) > 0 {
		out = append(out, Missing{c.stale, "the server has them in older versions only"})
	}
	if len(forbidden) == 0 {
		return out, nil
	}
	for _, kind := range forbidden {
		if cluster.RowOf(kind).Need == cluster.NeededByEveryPod {
			return nil, phrase.Errorf(
				"the cluster %s: you may not %s %s in all namespaces (403 Forbidden), and nothing can be said without them "+
					"(schedstep auth prints the role that is missing)",
				c.Context(), phrase.Text(verbs), c.served[kind].Resource,
			)
		}
	}
	return append(out, Missing{forbidden, phrase.Textf("you may not %s them in all namespaces", phrase.Text(verbs))}), nil
}

// having are those rows whose kinds the server has in the version that this build reads.
func (c *Cluster) having(rows []*cluster.KindRow) []*cluster.KindRow {
	return slices.DeleteFunc(rows, func(row *cluster.KindRow) bool {
		_, served := c.served[row.Kind]
		return !served
	})
}

// listKind reads the objects of one kind, page by page.
func (c *Cluster) listKind(ctx context.Context, row *cluster.KindRow, l *loading) ([]cluster.Object, error) {
	lists, err := c.listWatch(row)
	if err != nil {
		return nil, err
	}
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		ctx, cancel := c.limited(ctx)
		defer cancel()
		page, err := lists.ListWithContext(ctx, options)
		if err == nil {
			l.objectsAreThere(meta.LenList(page))
		}
		return page, err
	})
	pages.PageSize = pageSize
	list, _, err := pages.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var objects []cluster.Object
	err = meta.EachListItem(list, func(item runtime.Object) error {
		object, err := c.transform(row, item)
		if err == nil {
			objects = append(objects, object)
		}
		return err
	})
	return objects, err
}

// listWatch requests the objects of a kind. Finished pods hold nothing and are left out, as in kube-scheduler; of
// events it reads those that explain why a pod has no node.
func (c *Cluster) listWatch(row *cluster.KindRow) (*cache.ListWatch, error) {
	if row.Kind.IsCustom() {
		return c.listWatchCustom(row)
	}
	client, err := c.client(row.GroupVersion())
	if err != nil {
		return nil, err
	}
	resource := c.served[row.Kind].Resource
	return cache.NewFilteredListWatchFromClient(client, resource, metav1.NamespaceAll, func(o *metav1.ListOptions) {
		switch row.Kind {
		case cluster.KindEvent:
			o.FieldSelector = "reason=FailedScheduling"
		case cluster.KindPod:
			o.FieldSelector = "status.phase!=" + string(corev1.PodSucceeded) + ",status.phase!=" + string(corev1.PodFailed)
		}
	}), nil
}

// loading counts for Progress.
type loading struct {
	mu       sync.Mutex
	progress Progress
	loaded   Loaded
}

func (l *loading) kindIsThere() { l.change(func(n *Loaded) { n.Kinds++ }) }

func (l *loading) objectsAreThere(count int) { l.change(func(n *Loaded) { n.Objects += count }) }

// end stops the reports of progress, because the screen shows something else now.
func (l *loading) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.progress = nil
}

// troubleTime is how often it is looked whether something keeps the first lists from coming.
const troubleTime = time.Second

// watchesFor has Progress called with trouble until done is called.
func (l *loading) watchesFor(trouble func() phrase.Phrase) (done func()) {
	ended, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		ticker := time.NewTicker(troubleTime)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				now := trouble()
				l.mu.Lock()
				was := l.loaded.Trouble.String()
				l.mu.Unlock()
				if now.String() != was {
					l.change(func(n *Loaded) { n.Trouble = now })
				}
			case <-ended:
				return
			}
		}
	}()
	return func() {
		close(ended)
		<-gone
	}
}

func (l *loading) change(by func(*Loaded)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	by(&l.loaded)
	if l.progress != nil {
		l.progress(l.loaded)
	}
}
