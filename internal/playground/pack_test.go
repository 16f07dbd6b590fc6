package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"testing"
)

// unpacked is what page.html does with what is packed.
func unpacked(t *testing.T, small []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	number := func(at int) int { return int(binary.LittleEndian.Uint32(whole[4*at:])) }
	count, gaps := number(0), whole[16:16+number(1)]
	lengths := whole[16+number(1):][:number(2)]
	distances := whole[16+number(1)+number(2):]
	left := distances[4*count:]
	var out []byte
	for i := range count {
		gap, n := binary.Uvarint(gaps)
		length, m := binary.Uvarint(lengths)
		gaps, lengths = gaps[n:], lengths[m:]
		out, left = append(out, left[:gap]...), left[gap:]
		back := 0
		for k := range 4 {
			back |= int(distances[k*count+i]) << (8 * k)
		}
		for range length {
			out = append(out, out[len(out)-back])
		}
	}
	if out = append(out, left...); len(out) != number(3) {
		t.Fatalf("%d bytes, want %d", len(out), number(3))
	}
	return out
}

// far is data that repeats itself beyond what gzip sees, closely, and not at all.
func far() []byte {
	draw := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(draw.Uint32())
	}
	data := append(bytes.Clone(noise), noise...)
	data = append(data, make([]byte, 5000)...)
	return append(data, noise[70_000:]...)
}

// source is text with much in it that is nearly the same.
func source(t *testing.T) []byte {
	text, err := os.ReadFile("lean.go")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Join([][]byte{text, text[1000:], bytes.ReplaceAll(text, []byte("return"), []byte("give"))}, nil)
}

func TestWhatIsPackedIsUnpacked(t *testing.T) {
	for name, data := range map[string][]byte{
		"source": source(t), "nothing": nil, "short": []byte("node n1"), "far": far(),
		"one letter": bytes.Repeat([]byte("a"), 1000),
	} {
		small, err := packed(data)
		if err != nil {
			t.Fatal(err)
		}
		if got := unpacked(t, small); !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes became %d others", name, len(data), len(got))
		}
		// Of so few hashes most stand for bytes that only look alike.
		few, err := found(data, 3).gzipped(len(data))
		if err != nil {
			t.Fatal(err)
		}
		if got := unpacked(t, few); !bytes.Equal(got, data) {
			t.Errorf("%s, few hashes: %d bytes became %d others", name, len(data), len(got))
		}
	}
	if small, _ := packed(far()); len(small) > 101_000 {
		t.Errorf("what is repeated far away was not found: %d bytes", len(small))
	}
}
