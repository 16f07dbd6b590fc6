package importer

import (
	"bufio"
	"context"
	"runtime"
	"slices"
	"sort"
	"sync"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// file is one named stream of bytes: a file, a member of an archive, standard input.
type file struct {
	path  string
	named bool // the user named this very file
	size  int64
	depth int  // archives around it
	hint  hint // what its name suggests about kinds
	part  part // what its name suggests that it is; anyPart if the user named it
}

// document is one value of a file, with what is known about its list when items have no kind of their own.
type document struct {
	file   *file
	line   int
	list   typeMeta
	lists  []string // keys of the arrays whose elements are items
	arrays bool     // the value is itself an array
	text   []byte   // the whole text, where it can be read again in one piece
}

// typeMeta is apiVersion and kind as written.
type typeMeta struct{ apiVersion, kind string }

// learn takes note of a member of the envelope.
func (d *document) learn(key string, value []byte) {
	switch key {
	case "kind":
		d.list.kind = text.Unquote(value)
	case "apiVersion":
		d.list.apiVersion = text.Unquote(value)
	}
}

// batch is a run of items of one document. One goroutine decodes it, into slots.
type batch struct {
	doc     *document
	key     string   // of the array the items are from; "" for whole values
	known   typeMeta // what was known of the document's type when the batch was cut
	final   bool     // the document has been read to its end
	yaml    bool
	text    []byte
	scratch []byte // the item being decoded, without white space
	items   []item
	found   []findings
	waiting []int    // items whose kind only the rest of the document can show
	torn    bool     // an item was not valid by itself
	section *section // of mixed text, that it is from
}

// item is a stretch of its batch's text.
type item struct{ start, end, index, line int }

func (b *batch) add(start, index, line int) {
	b.items = append(b.items, item{start: start, end: len(b.text), index: index, line: line})
}

func (b *batch) place(i item) place {
	return place{file: b.doc.file, line: i.line, index: i.index, yaml: b.yaml}
}

// reading is one call of Read: one goroutine cuts the input into batches, others decode them.
type reading struct {
	ctx     context.Context
	o       Options
	meter   *meter
	batches []*batch
	formats map[string]bool
	layout  layout
	section *section // the goroutine that cuts stands in it; nil outside mixed text
	work    chan *batch
	free    chan []byte
	buffers []*bufio.Reader // that no stream uses now
}

// Read reads files, folders (in sorted order), globs and "-" as one cluster. The error is for paths that lead nowhere
// and for formats that do not exist; everything that is wrong inside the files is a Problem in the Dump, and what is
// readable is kept. Once ctx has ended, Read returns its error.
func Read(ctx context.Context, paths []string, o Options) (*Dump, error) {
	if o.Format != Detect && o.Format != JSON && o.Format != YAML {
		return nil, phrase.Errorf("format %q: unknown (one of %q, %q)", o.Format, JSON, YAML)
	}
	if len(paths) == 0 {
		return nil, phrase.Errorf("input: no file, folder or \"-\" was given")
	}
	var outside findings
	list, err := inputs(paths, o.Streams, &outside)
	if err != nil {
		return nil, err
	}
	r := newReading(ctx, o, list)
	r.run(list)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r.dump(outside), nil
}

func newReading(ctx context.Context, o Options, list []input) *reading {
	if o.Most <= 0 {
		o.Most = defaultMost
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	var total int64
	for _, in := range list {
		if in.stream {
			total = 0
			break
		}
		total += in.size
	}
	return &reading{
		o:       o,
		ctx:     ctx,
		meter:   &meter{ctx: ctx, most: o.Most, total: total, progress: o.Progress},
		formats: map[string]bool{},
		free:    make(chan []byte, 2*o.Workers),
	}
}

// run cuts all files and waits for the decoders.
func (r *reading) run(list []input) {
	wait := r.startWorkers()
	for _, in := range list {
		if r.ctx.Err() != nil {
			break
		}
		if r.meter.isFull() {
			r.leave(LeftOut{What: "file", Count: 1, Why: "the input was too large before it", First: in.path})
			continue
		}
		r.open(in)
	}
	wait()
	r.meter.tell()
	r.rejoin()
	wait = r.startWorkers()
	for _, b := range r.batches {
		if len(b.waiting) > 0 {
			b.known, b.final = b.doc.list, true
			r.work <- b
		}
	}
	wait()
}

// startWorkers returns the function that ends them.
func (r *reading) startWorkers() func() {
	r.work = make(chan *batch, r.o.Workers)
	var group sync.WaitGroup
	for range r.o.Workers {
		group.Add(1)
		go func() {
			defer group.Done()
			for b := range r.work {
				r.decode(b)
			}
		}()
	}
	return func() {
		close(r.work)
		group.Wait()
	}
}

// batch starts a run of items of doc.
func (r *reading) batch(doc *document, key string) *batch {
	b := &batch{doc: doc, key: key, known: doc.list}
	if key == "" && !doc.arrays {
		return b
	}
	select {
	case b.text = <-r.free:
	default:
	}
	return b
}

// submit gives a batch its turn in the order of the input and hands it to a decoder.
func (r *reading) submit(b *batch) {
	b.section = r.section
	r.batches = append(r.batches, b)
	if len(b.items) > 0 {
		b.found = make([]findings, len(b.items))
		r.work <- b
	}
}

// note is a batch of one thing already known.
func (r *reading) note(p Problem) *batch {
	return &batch{found: []findings{{problems: []Problem{p}}}}
}

func (r *reading) leave(left LeftOut) {
	r.submit(&batch{found: []findings{{left: []LeftOut{left}}}})
}

// decode fills the slots of a batch, or of those of its items that waited.
func (r *reading) decode(b *batch) {
	if waiting := b.waiting; len(waiting) > 0 {
		b.waiting = nil
		for _, i := range waiting {
			b.found[i] = r.item(b, i)
		}
		b.text, b.scratch = nil, nil
		return
	}
	for i := range b.items {
		b.found[i] = r.item(b, i)
	}
	if len(b.waiting) > 0 {
		return
	}
	b.join()
	if !b.yaml && cap(b.text) <= 2*batchSize {
		select {
		case r.free <- b.text[:0]:
		default:
		}
	}
	b.text, b.scratch = nil, nil
}

// join joins the slots of a batch that is done with.
func (b *batch) join() {
	var all findings
	for i := range b.found {
		all.add(b.found[i])
	}
	all.left = gatherLeft(all.left)
	slices.Sort(all.kinds)
	all.kinds = slices.Compact(all.kinds)
	b.found = []findings{all}
}

// dump joins the slots.
func (r *reading) dump(all findings) *Dump {
	for _, b := range r.batches {
		for i := range b.found {
			all.add(b.found[i])
			b.found[i] = findings{}
		}
	}
	if r.layout.isKnown() {
		all.excuse()
	}
	for _, name := range all.formats {
		r.formats[name] = true
	}
	emptier := phrase.Text("")
	if !tellOfAllNodes(all.objects, all.outlines) {
		emptier = r.layout.notes(&all)
	}
	objects := withOutlines(withoutDuplicates(all.objects, &all), all.outlines, &all)
	d := &Dump{
		Objects:  objects,
		Left:     gatherLeft(all.left),
		Configs:  all.configs,
		Events:   all.events,
		Holders:  all.holders,
		Missing:  absent(all.kinds),
		Formats:  r.layout.formats(r.formats),
		Problems: gatherProblems(all.problems),
		Emptier:  emptier,
	}
	if len(all.versions) > 0 {
		d.Version = all.versions[0]
	}
	return d
}

// sortedKeys lists a set.
func sortedKeys(set map[string]bool) []string {
	var list []string
	for key := range set {
		list = append(list, key)
	}
	sort.Strings(list)
	return list
}
