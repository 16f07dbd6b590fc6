package audit

import (
	"bytes"
	"runtime"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source/history"
	"github.com/schedstep/schedstep/replay/source/importer"
)

// body is a write whose body may not be decoded yet.
type body struct {
	write          *history.Write
	id             string // of the entry
	answered, sent []byte // answered is nil where the object that was answered is not needed

	object cluster.Object // that was answered; nil: it could not be decoded
	packed []byte         // likewise, as a vault takes it
}

// Bodies are decoded together, on all CPUs: so many of them, or of so many bytes.
const (
	mostWaiting = 2048
	mostHeld    = 16 << 20
)

// bodies takes from the entry what of its bodies is needed.
func (l *Log) bodies(w *history.Write, e *entry) {
	answered := kindIn(e.Answered)
	b := body{write: w, id: e.AuditID}
	switch {
	case len(e.Answered) == 0 && len(e.Sent) == 0:
		l.Counts.Metadata++
	case len(e.Answered) == 0:
		l.Counts.Request++
	default:
		l.Counts.Response++
	}
	switch {
	case answered == string(w.Row.Kind) && w.Sub != "scale" && w.Sub != "binding" && w.Sub != "eviction":
		b.answered, b.sent = bytes.Clone(e.Answered), bytes.Clone(e.Sent)
	case w.Verb == history.DeleteCollection && answered == string(w.Row.Kind)+"List":
		if w.Chosen == nil {
			w.Chosen = &history.Collection{}
		}
		w.Chosen.List = l.listed(w.Row, e.Answered)
		b.sent = bytes.Clone(e.Sent)
	case w.Sub == "scale" && answered == "Scale":
		w.Revision = revisionOf(e.Answered)
		b.sent = bytes.Clone(e.Answered)
	default:
		w.Revision = revisionOf(e.Answered)
		b.sent = bytes.Clone(e.Sent)
	}
	l.waiting = append(l.waiting, b)
	if l.held += len(b.answered) + len(b.sent); len(l.waiting) >= mostWaiting || l.held >= mostHeld {
		l.decode()
	}
}

// decode begins to make objects of the bodies that wait for it, on all CPUs, while the log is read on. Those before are
// taken first.
func (l *Log) decode() {
	l.take()
	l.coming, l.waiting, l.held = l.waiting, l.coming, 0
	workers := runtime.GOMAXPROCS(0)
	for n := range workers {
		l.decoded.Go(func() {
			for i := n; i < len(l.coming); i += workers {
				l.coming[i].decode(l.Whole, l.Vault)
			}
		})
	}
}

// take puts the writes whose bodies were being decoded to the others.
func (l *Log) take() {
	l.decoded.Wait()
	for i := range l.coming {
		if !l.Counts.Full {
			l.keep(&l.coming[i])
		}
	}
	clear(l.coming)
	l.coming = l.coming[:0]
}

// decode makes the object that was answered.
func (b *body) decode(whole bool, vault *history.Vault) {
	if b.answered == nil {
		return
	}
	o, err := importer.Decode(b.answered, whole)
	defer func() {
		if b.object != nil {
			clear(b.answered)
			clear(b.sent)
		}
	}()
	if err != nil || o.GetName() == "" {
		b.write.Revision = revisionOf(b.answered)
		return
	}
	b.write.Revision, _ = strconv.ParseUint(o.GetResourceVersion(), 10, 64)
	if b.object = o; vault != nil {
		b.packed = vault.Encoded(o)
	}
}

// keep puts a write to the others.
func (l *Log) keep(b *body) {
	w := b.write
	switch {
	case b.object != nil:
		w.Name, w.Namespace = l.once(b.object.GetName()), l.once(b.object.GetNamespace())
		pod, is := b.object.(*corev1.Pod)
		w.Gated = is && len(pod.Spec.SchedulingGates) > 0
		if b.packed != nil {
			w.Packed = l.Vault.Add(b.packed)
		} else {
			w.After = b.object
			l.kept += int64(len(b.answered))
		}
	case b.answered != nil:
		l.Counts.Undecoded++
		fallthrough
	default:
		w.Sent = b.sent
		l.kept += int64(len(w.Sent))
		w.ID = b.id
	}
	if l.Most > 0 && l.size() > l.Most {
		l.Counts.Full = true
		return
	}
	if w.Name == "" && w.Verb == history.Create {
		w.Prefix = prefixIn(b.sent)
		if w.Prefix == "" && len(b.sent) > 0 {
			l.Counts.Undecoded++
			return
		}
	}
	if len(w.Sent)+len(w.ID)+len(w.By)+len(w.Prefix) == 0 && w.Chosen == nil {
		w.Request = history.NoRequest
	}
	l.Writes = append(l.Writes, w)
}
