package history

import (
	"encoding/json"

	"github.com/klauspost/compress/zstd"

	"github.com/schedstep/schedstep/core/cluster"
)

// Ref is the place of an object in a Vault; 0: it is in none.
type Ref uint32

// Vault keeps objects packed: encoded as an API server stores them, many of them compressed together. Versions of one
// cluster are much alike, and take a tenth of what they take as they are used. The zero value is empty. It is for one
// goroutine, except for Encoded.
type Vault struct {
	// Redact takes out of an object what is not to be kept; nil: nothing is. Several goroutines may call it.
	Redact func(cluster.Object) cluster.Object

	blocks [][]byte // compressed, of together objects each
	open   []byte   // objects behind those of blocks
	ends   []int    // of each object within its block
	size   int64    // of blocks
	read   []opened // the blocks that were read last
	clock  int

	packer   *zstd.Encoder
	unpacker *zstd.Decoder
}

// together is how many objects are compressed together.
const together = 128

// keptOpen is how many blocks are kept as they were read: logs of several servers are read next to each other.
const keptOpen = 48

// opened is a block that was read.
type opened struct {
	block, used int
	raw         []byte
}

// encoding is what the generated types of Kubernetes have.
type encoding interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// Put adds an object, which must be of a kind of the table.
func (v *Vault) Put(o cluster.Object) Ref { return v.Add(v.Encoded(o)) }

// Add adds an object that is Encoded.
func (v *Vault) Add(encoded []byte) Ref {
	v.open = append(v.open, encoded...)
	v.ends = append(v.ends, len(v.open))
	if len(v.ends)%together == 0 {
		if v.packer == nil {
			v.packer, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault),
				zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true)) // these options are in order
		}
		v.blocks = append(v.blocks, v.packer.EncodeAll(v.open, make([]byte, 0, len(v.open)/8)))
		v.size += int64(len(v.blocks[len(v.blocks)-1]))
		v.open = v.open[:0]
	}
	return Ref(len(v.ends))
}

// Size is how many bytes the objects take.
func (v *Vault) Size() int64 { return v.size + int64(len(v.open)) }

// Get is an object as it was put in. Nothing shares memory with it.
func (v *Vault) Get(ref Ref) cluster.Object {
	at := int(ref) - 1
	raw := v.block(at / together)
	begin := 0
	if at%together > 0 {
		begin = v.ends[at-1]
	}
	return restored(raw[begin:v.ends[at]])
}

// block is the objects of a block.
func (v *Vault) block(n int) []byte {
	if n == len(v.blocks) {
		return v.open
	}
	v.clock++
	oldest := 0
	for i := range v.read {
		if v.read[i].block == n {
			v.read[i].used = v.clock
			return v.read[i].raw
		}
		if v.read[i].used < v.read[oldest].used {
			oldest = i
		}
	}
	if v.unpacker == nil {
		v.unpacker, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)) // likewise
	}
	if len(v.read) < keptOpen {
		oldest = len(v.read)
		v.read = append(v.read, opened{})
	}
	raw, err := v.unpacker.DecodeAll(v.blocks[n], v.read[oldest].raw[:0])
	if err != nil {
		panic(err) // it was packed here
	}
	v.read[oldest] = opened{n, v.clock, raw}
	return raw
}

// Encoded is an object as the vault takes it. Several goroutines may make such.
func (v *Vault) Encoded(o cluster.Object) []byte {
	if _, read := cluster.KindOf(o); read && v.Redact != nil {
		o = v.Redact(o)
	}
	// The number of its kind in the table comes first.
	kind, known := numbers[cluster.Kind(o.GetObjectKind().GroupVersionKind().Kind)]
	if !known {
		panic("a vault has no row for " + o.GetObjectKind().GroupVersionKind().String())
	}
	var raw []byte
	var err error
	if e, is := o.(encoding); is {
		raw, err = e.Marshal()
	} else {
		raw, err = json.Marshal(o)
	}
	if err != nil {
		panic(err) // it was decoded before
	}
	return append([]byte{kind}, raw...)
}

// restored is an object that was encoded.
func restored(raw []byte) cluster.Object {
	row := rows[raw[0]]
	o := row.New()
	var err error
	if e, is := o.(encoding); is {
		err = e.Unmarshal(raw[1:])
	} else {
		err = json.Unmarshal(raw[1:], o)
	}
	if err != nil {
		panic(err) // it was encoded here
	}
	o.GetObjectKind().SetGroupVersionKind(row.GroupVersion().WithKind(string(row.Kind)))
	return o
}

// rows are the kinds that a vault takes; numbers are their places.
var (
	rows    = cluster.KindRows()
	numbers = numbersOf(rows)
)

func numbersOf(rows []*cluster.KindRow) map[cluster.Kind]byte {
	m := map[cluster.Kind]byte{}
	for i, row := range rows {
		m[row.Kind] = byte(i)
	}
	return m
}
