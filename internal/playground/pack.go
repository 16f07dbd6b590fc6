package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
)

// A program of Go repeats itself over distances that gzip, which looks back 32 KB, does not see. So what was there
// before, at any distance, becomes a copy first; what is left over is gzipped, and every browser has gzip. page.html
// has the other half.
//
//	copies | bytes of gaps | bytes of lengths | all bytes | gaps | lengths | 4 x distances | the bytes between
//	'-- four numbers of 32 bits, little end first --'      '-varints-'    lowest byte first
//
// Each copy comes after a gap of bytes that are not copied, and has a length and a distance back.

// shortest is the length from which a copy takes less room than gzip needs for its bytes.
const shortest = 28

// copies are what is copied, each of its parts beside its likes, and the bytes that are not.
type copies struct {
	count         int
	gaps, lengths []byte
	distances     [4][]byte
	left          []byte
}

func (c *copies) add(gap []byte, length, distance int) {
	c.count++
	c.gaps = binary.AppendUvarint(c.gaps, uint64(len(gap)))
	c.lengths = binary.AppendUvarint(c.lengths, uint64(length))
	for i := range c.distances {
		c.distances[i] = append(c.distances[i], byte(distance>>(8*i)))
	}
	c.left = append(c.left, gap...)
}

// found are the copies in data: at each place the last one that begins with the same 16 bytes, as long as it goes. A
// table of 2^bits hashes knows where to look.
func found(data []byte, bits int) *copies {
	const look = 16
	last := make([]int32, 1<<bits) // where a hash of 16 bytes was last seen, and 1
	hash := func(at int) uint64 {
		a, b := binary.LittleEndian.Uint64(data[at:]), binary.LittleEndian.Uint64(data[at+8:])
		x := a*0x9e3779b185ebca87 ^ b*0xc2b2ae3d27d4eb4f
		return (x ^ x>>29) * 0x9e3779b185ebca87 >> (64 - bits)
	}
	c := &copies{}
	done := 0
	for at := 0; at+look <= len(data); {
		h := hash(at)
		before := int(last[h]) - 1
		last[h] = int32(at) + 1
		if before < 0 {
			at++
			continue
		}
		from, to := at, at
		for to < len(data) && data[to] == data[to-at+before] {
			to++
		}
		for from > done && from-at+before > 0 && data[from-1] == data[from-1-at+before] {
			from--
		}
		if to-at < look || to-from < shortest { // another hash alike, or too short
			at++
			continue
		}
		c.add(data[done:from], to-from, at-before)
		for at++; at < to && at+look <= len(data); at++ {
			last[hash(at)] = int32(at) + 1
		}
		at, done = to, to
	}
	c.left = append(c.left, data[done:]...)
	return c
}

// packed is data as the page unpacks it.
func packed(data []byte) ([]byte, error) {
	return found(data, 23).gzipped(len(data))
}

// gzipped writes what the page reads; all is the length of the data.
func (c *copies) gzipped(all int) ([]byte, error) {
	var whole []byte
	for _, n := range []int{c.count, len(c.gaps), len(c.lengths), all} {
		whole = binary.LittleEndian.AppendUint32(whole, uint32(n))
	}
	whole = append(append(whole, c.gaps...), c.lengths...)
	for _, d := range c.distances {
		whole = append(whole, d...)
	}
	return gzipped(append(whole, c.left...))
}

func gzipped(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
