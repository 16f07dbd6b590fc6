// Package wal writes write-ahead logs as etcd does, for tests.
package wal

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"google.golang.org/protobuf/encoding/protowire"
)

// Log is a write-ahead log from its first entry on.
type Log struct {
	bytes.Buffer
	sum   uint32
	index uint64
}

// New is a log without entries.
func New() *Log {
	l := &Log{}
	l.record(4, nil) // the checksum that the file begins with
	l.record(1, nil) // metadata
	return l
}

// number is a field of a message with a number.
func number(field protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), n)
}

// text is a field of a message with bytes.
func text(field protowire.Number, b []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), b)
}

// record adds a record (walpb.Record).
func (l *Log) record(kind uint64, data []byte) {
	l.sum = crc32.Update(l.sum, crc32.MakeTable(crc32.Castagnoli), data)
	raw := append(number(1, kind), number(2, uint64(l.sum))...)
	raw = append(raw, text(3, data)...)
	head := uint64(len(raw))
	if padding := (8 - len(raw)%8) % 8; padding > 0 {
		head |= uint64(0x80|padding) << 56
		raw = append(raw, make([]byte, padding)...)
	}
	_ = binary.Write(l, binary.LittleEndian, head)
	l.Write(raw)
}

// Entry adds an entry (raftpb.Entry).
func (l *Log) Entry(kind uint64, data []byte) {
	l.index++
	l.record(2, bytes.Join([][]byte{number(1, kind), number(2, 1), number(3, l.index), text(4, data)}, nil))
}

// Change adds a change of the voters (raftpb.ConfChange).
func (l *Log) Change(kind, node uint64) {
	l.Entry(1, bytes.Join([][]byte{number(1, l.index), number(2, kind), number(3, node)}, nil))
}

// ChangeV2 adds such a change in its newer form (raftpb.ConfChangeV2).
func (l *Log) ChangeV2(kind, node uint64) {
	l.Entry(2, text(2, append(number(1, kind), number(2, node)...)))
}

// Put adds a write of a key.
func (l *Log) Put(key string, value []byte) {
	l.Entry(0, text(4, append(text(1, []byte(key)), text(2, value)...)))
}

// Agreed adds that all entries so far are agreed on.
func (l *Log) Agreed() { l.record(3, append(number(1, 1), number(3, l.index)...)) }
