package etcd

import (
	"encoding/binary"
	"hash/fnv"
	"io"

	"github.com/schedstep/schedstep/internal/phrase"
)

// The format of bbolt: pages of a fixed size, two of them with the root. The reader is our own, because a file that was
// copied while it was written, or was made by hand, must neither crash nor hold up the program: bbolt maps the file,
// waits for its lock, panics on damaged pages, and follows rings of them without end.
const (
	boltMagic   = 0xED0CDAED
	boltVersion = 2

	branchPage = 0x01
	leafPage   = 0x02
	bucketLeaf = 0x01

	headSize    = 16
	elementSize = 16
	deepestTree = 32
	mostPages   = 1 << 26
)

var errDamaged = phrase.Errorf("a page of the file is damaged")

// pages reads a bbolt file. Pages that are damaged are counted and left out.
type pages struct {
	file    io.ReaderAt
	size    int64 // bytes of the file
	page    int64 // bytes of a page
	root    uint64
	damaged int
	read    int // pages
}

// meta is one of the two roots.
type meta struct {
	page uint32
	root uint64
	tx   uint64
}

// openPages finds the newer of the two roots that are whole.
func openPages(file io.ReaderAt, size int64) (*pages, error) {
	var best *meta
	for _, at := range []int64{0, 4096, 8192, 16384, 65536} {
		m, ok := metaAt(file, at)
		if ok && (best == nil || m.tx > best.tx) && (at == 0 || at == int64(m.page)) {
			best = &m
		}
	}
	if best == nil {
		return nil, phrase.Errorf("no database of etcd, or neither of its two roots is whole")
	}
	return &pages{file: file, size: size, page: int64(best.page), root: best.root}, nil
}

// metaAt reads the root in the page at an offset.
func metaAt(file io.ReaderAt, at int64) (meta, bool) {
	raw := make([]byte, headSize+64)
	if n, _ := file.ReadAt(raw, at); n < len(raw) {
		return meta{}, false
	}
	body := raw[headSize:]
	little := binary.LittleEndian
	if little.Uint32(body) != boltMagic || little.Uint32(body[4:]) != boltVersion {
		return meta{}, false
	}
	sum := fnv.New64a()
	_, _ = sum.Write(body[:56])
	m := meta{page: little.Uint32(body[8:]), root: little.Uint64(body[16:]), tx: little.Uint64(body[48:])}
	power := m.page >= 512 && m.page <= 1<<20 && m.page&(m.page-1) == 0
	return m, power && sum.Sum64() == little.Uint64(body[56:])
}

// bucket finds the root page of a bucket by its name; an inline bucket has its page in the value.
func (p *pages) bucket(name string) (root uint64, inline []byte, found bool) {
	_ = p.walk(p.root, nil, 0, func(flags uint32, key, value []byte) error {
		if flags&bucketLeaf != 0 && string(key) == name && len(value) >= 16 {
			root, found = binary.LittleEndian.Uint64(value), true
			if root == 0 {
				inline = value[16:]
			}
		}
		return nil
	})
	return root, inline, found
}

// walk visits the elements of leaves in the order of their keys. The slices are good until the next call. Damage is
// counted; the error is the visitor's.
func (p *pages) walk(id uint64, inline []byte, depth int, visit func(flags uint32, key, value []byte) error) error {
	raw, kind, count, err := p.load(id, inline)
	if err != nil || depth > deepestTree {
		p.damaged++
		return nil
	}
	for i := range count {
		flags, key, value, child, ok := element(raw, kind, i)
		switch {
		case !ok:
			p.damaged++
		case kind == branchPage:
			if p.read++; p.read > mostPages {
				p.damaged++
				return nil
			}
			if err := p.walk(child, nil, depth+1, visit); err != nil {
				return err
			}
		default:
			if err := visit(flags, key, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// load reads a page with those that it flows over into.
func (p *pages) load(id uint64, inline []byte) (raw []byte, kind uint16, count int, err error) {
	raw = inline
	little := binary.LittleEndian
	if inline == nil {
		if id < 2 || id >= uint64(p.size/p.page) {
			return nil, 0, 0, errDamaged
		}
		head := make([]byte, headSize)
		if _, err := p.file.ReadAt(head, int64(id)*p.page); err != nil || little.Uint64(head) != id {
			return nil, 0, 0, errDamaged
		}
		whole := (int64(little.Uint32(head[12:])) + 1) * p.page
		if whole > p.size-int64(id)*p.page {
			return nil, 0, 0, errDamaged
		}
		raw = make([]byte, whole)
		if _, err := p.file.ReadAt(raw, int64(id)*p.page); err != nil {
			return nil, 0, 0, errDamaged
		}
	}
	if len(raw) < headSize {
		return nil, 0, 0, errDamaged
	}
	kind, count = little.Uint16(raw[8:]), int(little.Uint16(raw[10:]))
	if kind != branchPage && kind != leafPage || headSize+count*elementSize > len(raw) {
		return nil, 0, 0, errDamaged
	}
	return raw, kind, count, nil
}

// element is one of a page: of a branch a key and a page, of a leaf a key and a value.
func element(raw []byte, kind uint16, i int) (flags uint32, key, value []byte, child uint64, ok bool) {
	little := binary.LittleEndian
	at := headSize + i*elementSize
	e := raw[at:]
	if kind == branchPage {
		return 0, nil, nil, little.Uint64(e[8:]), true
	}
	from := uint64(at) + uint64(little.Uint32(e[4:]))
	keyEnd := from + uint64(little.Uint32(e[8:]))
	end := keyEnd + uint64(little.Uint32(e[12:]))
	if end > uint64(len(raw)) {
		return 0, nil, nil, 0, false
	}
	return little.Uint32(e), raw[from:keyEnd], raw[keyEnd:end], 0, true
}
