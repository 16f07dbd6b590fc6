// Package etcd reads the files of an etcd that holds a Kubernetes cluster: a snapshot, or the database and the
// write-ahead log of a member. It hands on every revision that they hold of objects that schedulers read, and never
// decodes another object: a file of etcd holds all Secrets of a cluster. It connects to no etcd and writes nothing.
package etcd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/history"
)

// Store is what the files of one etcd hold. The zero value is empty. It is for one goroutine.
type Store struct {
	Whole bool           // keep what no scheduler reads of pods
	Vault *history.Vault // keeps the objects of Changes

	Changes []history.Change
	Beats   []history.Beat
	Counts  Counts

	undecoded []coded
	names     map[string]cluster.Object // of keys, each object nothing but its name
}

// Counts are what the files held, and what of them could not be read.
type Counts struct {
	Revisions  int // of any key
	Encrypted  int // values that the API server encrypted; they cannot be read
	Undecoded  int // values of kinds that are read, and that could not be decoded
	Damaged    int // pages of the database
	Torn       int // records of the write-ahead log that are cut, or whose checksum is wrong
	Uncertain  int // entries of the write-ahead log that were perhaps never agreed on
	Compacted  uint64
	Last       uint64 // the newest revision
	Mismatched bool   // the checksum of a snapshot is wrong
}

// IsDatabase reports whether the first bytes of a file are those of a database or a snapshot of etcd.
func IsDatabase(head []byte) bool {
	for _, at := range []int{0, 4096} {
		if len(head) >= at+headSize+8 && binary.LittleEndian.Uint32(head[at+headSize:]) == boltMagic {
			return true
		}
	}
	return false
}

// ReadDatabase adds the revisions of a database or snapshot of a size in bytes.
func (s *Store) ReadDatabase(ctx context.Context, file io.ReaderAt, size int64) error {
	p, err := openPages(file, size)
	if err != nil {
		return err
	}
	if size%512 == sha256.Size {
		s.check(file, size-sha256.Size)
	}
	root, inline, found := p.bucket("key")
	if !found {
		return phrase.Errorf("the database has no revisions of keys: it is no database of etcd, or it is damaged")
	}
	s.compactions(p)
	n := 0
	err = p.walk(root, inline, 0, func(_ uint32, key, value []byte) error {
		if n++; n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s.revision(key, value)
		return nil
	})
	s.decode()
	s.Counts.Damaged += p.damaged
	return err
}

// check compares the checksum at the end of a snapshot.
func (s *Store) check(file io.ReaderAt, size int64) {
	sum := sha256.New()
	want := make([]byte, sha256.Size)
	if _, err := io.Copy(sum, io.NewSectionReader(file, 0, size)); err != nil {
		return
	}
	if _, err := file.ReadAt(want, size); err != nil && !errors.Is(err, io.EOF) {
		return
	}
	s.Counts.Mismatched = !bytes.Equal(sum.Sum(nil), want)
}

// compactions finds the revision up to which history was dropped.
func (s *Store) compactions(p *pages) {
	root, inline, found := p.bucket("meta")
	if !found {
		return
	}
	_ = p.walk(root, inline, 0, func(_ uint32, key, value []byte) error {
		if string(key) == "finishedCompactRev" && len(value) >= 8 {
			s.Counts.Compacted = binary.BigEndian.Uint64(value)
		}
		return nil
	})
}

// stored is a KeyValue of etcd.
type stored struct {
	key, value []byte
	revision   uint64
	created    uint64
}

// revision adds one revision of one key.
func (s *Store) revision(name, value []byte) {
	if len(name) < 17 {
		s.Counts.Damaged++
		return
	}
	kv, ok := keyValue(value)
	if !ok {
		s.Counts.Damaged++
		return
	}
	s.add(kv.key, kv.value, binary.BigEndian.Uint64(name), len(name) > 17 && name[17] == 't')
}

// keyValue reads mvccpb.KeyValue.
func keyValue(raw []byte) (kv stored, ok bool) {
	ok = fields(raw, func(number protowire.Number, n uint64, b []byte) {
		switch number {
		case 1:
			kv.key = b
		case 2:
			kv.created = n
		case 3:
			kv.revision = n
		case 5:
			kv.value = b
		}
	})
	return kv, ok && len(kv.key) > 0
}

// fields visits the fields of a message, numbers as n and texts as b; false when it is damaged.
func fields(raw []byte, visit func(number protowire.Number, n uint64, b []byte)) bool {
	for len(raw) > 0 {
		number, kind, size := protowire.ConsumeTag(raw)
		if size < 0 {
			return false
		}
		raw = raw[size:]
		var n uint64
		var b []byte
		switch kind {
		case protowire.VarintType:
			n, size = protowire.ConsumeVarint(raw)
		case protowire.BytesType:
			b, size = protowire.ConsumeBytes(raw)
		default:
			size = protowire.ConsumeFieldValue(number, kind, raw)
		}
		if size < 0 {
			return false
		}
		visit(number, n, b)
		raw = raw[size:]
	}
	return true
}

// add takes one revision of a key; dead: the key was deleted.
func (s *Store) add(key, value []byte, revision uint64, dead bool) {
	s.Counts.Revisions++
	s.Counts.Last = max(s.Counts.Last, revision)
	path := string(key)
	if s.lease(path, value, revision) {
		return
	}
	row, namespace, name := place(path)
	if row == nil {
		return
	}
	o := s.names[path]
	if o == nil {
		if s.names == nil {
			s.names = map[string]cluster.Object{}
		}
		o = row.Blank()
		o.SetName(name)
		o.SetNamespace(namespace)
		s.names[path] = o
	}
	if dead {
		s.Changes = append(s.Changes, history.Change{Revision: revision, Gone: true, Name: o})
		return
	}
	if bytes.HasPrefix(value, []byte("k8s:enc:")) {
		s.Counts.Encrypted++
		return
	}
	s.Changes = append(s.Changes, history.Change{Revision: revision, Name: o})
	s.undecoded = append(s.undecoded, coded{change: len(s.Changes) - 1, value: bytes.Clone(value)})
	if len(s.undecoded) == decodedTogether {
		s.decode()
	}
}

// coded is the value of a change that is not decoded yet.
type coded struct {
	change int // index in Changes
	value  []byte
	packed []byte // for the vault; nil: it could not be decoded
}

// decodedTogether is how many values are decoded at once, on all CPUs.
const decodedTogether = 2048

// decode makes objects of the values that wait for it, each in its own place. Those that cannot be decoded leave no
// change.
func (s *Store) decode() {
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() {
			for i := w; i < len(s.undecoded); i += workers {
				c := &s.undecoded[i]
				o, err := decode(c.value, s.Whole)
				change := &s.Changes[c.change]
				if err != nil || o.GetName() != change.Name.GetName() || o.GetNamespace() != change.Name.GetNamespace() {
					continue
				}
				o.SetResourceVersion(strconv.FormatUint(change.Revision, 10))
				change.Created, c.packed = o.GetCreationTimestamp().Time, s.Vault.Encoded(o)
			}
		})
	}
	group.Wait()
	for i := range s.undecoded {
		if c := &s.undecoded[i]; c.packed != nil {
			s.Changes[c.change].Packed = s.Vault.Add(c.packed)
		}
	}
	if len(s.undecoded) > 0 {
		first := s.undecoded[0].change
		kept := slices.DeleteFunc(s.Changes[first:], func(c history.Change) bool { return c.Packed == 0 && !c.Gone })
		s.Counts.Undecoded += len(s.Changes) - first - len(kept)
		s.Changes = s.Changes[:first+len(kept)]
	}
	s.undecoded = s.undecoded[:0]
}

// resources are the paths of kinds behind the prefix. Nodes are minions there, and services have a folder of their own.
var resources = resourcePaths()

func resourcePaths() map[string]*cluster.KindRow {
	m := map[string]*cluster.KindRow{}
	for _, row := range cluster.KindRows() {
		if row.Reader == cluster.ReadByNobody {
			continue
		}
		name := row.GroupVersionResource().Resource
		switch row.Kind {
		case cluster.KindNode:
			name = "minions"
		case cluster.KindService:
			name = "services/specs"
		case cluster.KindReplicationController:
			name = "controllers"
		}
		m[name] = row
	}
	return m
}

// prefixes are where API servers keep objects: --etcd-prefix is /registry, and OpenShift has its own.
var prefixes = []string{"/registry/", "/kubernetes.io/"}

// place finds the kind, namespace and name that a key is of; nil for one that no scheduler reads.
func place(path string) (row *cluster.KindRow, namespace, name string) {
	rest := ""
	for _, prefix := range prefixes {
		if cut, is := strings.CutPrefix(path, prefix); is {
			rest = cut
			break
		}
	}
	resource, tail, is := strings.Cut(rest, "/")
	if row = resources[resource]; row == nil && is {
		var second string
		second, tail, _ = strings.Cut(tail, "/")
		row = resources[resource+"/"+second]
	}
	if row == nil {
		return nil, "", ""
	}
	namespace, name, both := strings.Cut(tail, "/")
	switch {
	case row.Namespaced && both && !strings.Contains(name, "/"):
		return row, namespace, name
	case !row.Namespaced && !both && namespace != "":
		return row, "", namespace
	}
	return nil, "", ""
}
