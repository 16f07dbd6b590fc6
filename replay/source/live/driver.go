package live

import (
	"context"
	"net/http"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Driver carries out the effects of a scheduler in a cluster. Besides it, only CreateJob writes to a cluster. The
// result of a request comes back as events of the cluster, or as replies, which the driver adds to the log. Several
// goroutines may use it.
//
//	effects of the scheduler --> held, while the person steps --> lanes: one for each pod, in order --> API server
type Driver struct {
	cluster *Cluster
	options DriveOptions
	config  *rest.Config
	http    *http.Client
	slots   chan struct{} // as many requests as may be under way at once
	running sync.WaitGroup

	mu       sync.Mutex
	reporter reporter
	lanes    map[string]*lane
	gains    map[string]core.Evict // by UID of a victim: why it was evicted, until that is reported
	holding  bool
	held     []*order
	ended    error // why nothing is written any more; nil: writing goes on
}

// DriveOptions are the options of a Driver.
type DriveOptions struct {
	SchedulerName string
	DryRun        bool             // the server checks the request and changes nothing
	Answer        func(core.Reply) // is called with results that no event of the cluster shows; it must not block
	// is called with every request and its result, in the order of the answers; may be nil
	Tell  func(Written)
	Now   func() time.Time // nil: the clock of this machine
	Renew time.Duration    // how often the lease is renewed, or tried; 0: as often as kube-scheduler does
}

// Written is one request of the scheduler with its result.
type Written struct {
	At       time.Time
	Wish     string
	Requests []string
	DryRun   bool
	Fault    string // why it was not done; "": it was
}

const (
	mostAtOnce  = 16 // as many as kube-scheduler has goroutines
	requestTime = 15 * time.Second
)

// writingConfig is the configuration of a client that may write.
func (c *Cluster) writingConfig() *rest.Config {
	config := rest.CopyConfig(c.config)
	config.WrapTransport = c.wrap
	config.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(requestsPerSecond, requestBurst)
	return config
}

// Drive makes what carries out a scheduler's effects in the cluster.
func (c *Cluster) Drive(o DriveOptions) (*Driver, error) {
	if o.Now == nil {
		// Not now(): a lease is held for so much time, whatever the clock is set to meanwhile.
		o.Now = func() time.Time { return time.Now().UTC() }
	}
	if o.Renew == 0 {
		o.Renew = renewTime
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return &Driver{
		cluster: c, options: o, config: c.writingConfig(), http: c.writing, slots: make(chan struct{}, mostAtOnce),
		lanes: map[string]*lane{}, gains: map[string]core.Evict{},
		reporter: reporter{
			controller: o.SchedulerName, instance: o.SchedulerName + "-" + host, written: map[series]*told{},
		},
	}, nil
}

// errClosed is why nothing is written after Close.
var errClosed = phrase.Errorf("schedstep is ending")

// Act takes an effect of the scheduler. It does not wait for the result.
func (d *Driver) Act(effect core.Effect, known *cluster.State, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o := d.order(effect, known, at)
	switch {
	case d.ended != nil:
		d.refuse(o, d.ended.Error())
	case d.holding || len(d.held) > 0: // nothing overtakes what is held
		d.held = append(d.held, o)
	default:
		d.enqueue(o)
	}
}

// order turns an effect of the scheduler into requests to the API server.
func (d *Driver) order(effect core.Effect, known *cluster.State, at time.Time) *order {
	o := &order{effect: effect, at: at}
	clock := d.options.Now()
	switch e := effect.(type) {
	case core.Bind:
		o.lane, o.requests = "pod "+e.Pod.UID(), []Request{bindingOf(e.Pod.API, e.Node)}
	case core.Evict:
		o.lane, o.requests = "for "+e.UID, evictionOf(e, clock)
		d.gains[e.Pod.UID()] = e
	case core.Nominate:
		o.lane, o.requests = "pod "+e.Pod.UID(), nominationOf(e)
	case core.Write:
		if o.lane = "plugin " + e.Plugin; e.Pod != nil {
			o.lane = "pod " + e.Pod.UID()
		}
		o.requests, o.fault = d.cluster.requestsOf(e, known)
	case core.Report:
		o.lane = "pod " + e.Pod.UID()
		var gains *corev1.Pod
		if evicted, is := d.gains[e.Pod.UID()]; is && e.Reason == "Preempted" {
			o.lane, gains = "for "+evicted.UID, evicted.For.API
			delete(d.gains, e.Pod.UID())
		}
		o.requests = append(conditionOf(e, clock), d.reporter.report(e, gains, clock))
	case core.Conclude:
		o.lane = "group " + string(e.Group.UID)
		o.requests, o.fault = conclusionOf(e, clock)
	}
	return o
}

// client talks about a group and version, and may write.
func (d *Driver) client(version schema.GroupVersion) (*rest.RESTClient, error) {
	return clientFor(d.config, d.http, version)
}

// Close drops what has not begun, and waits for what has, at most until ctx ends; all reports that everything that had
// begun has ended. Nothing is written afterwards. The context of Acquire must have ended: the lease is given back.
func (d *Driver) Close(ctx context.Context) (all bool) {
	d.stopWriting(errClosed)
	done := make(chan struct{})
	go func() {
		d.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

// stopWriting drops what has not begun, and has nothing be written any more.
func (d *Driver) stopWriting(why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended == nil {
		d.ended = why
	}
	for _, l := range d.lanes {
		for _, o := range l.waiting {
			d.refuse(o, why.Error())
		}
		l.waiting = nil
	}
	for _, o := range d.held {
		d.refuse(o, why.Error())
	}
	d.held = nil
}
