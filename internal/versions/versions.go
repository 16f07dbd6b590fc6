// Package versions compares scripts that are two accounts of one past, version by version. Tests of histories use it;
// it reads no file, and judges nothing.
package versions

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source"
)

// ByObject are the indexes of a script's events about each object, in order, by kind and key.
func ByObject(script source.Script) map[string][]int {
	m := map[string][]int{}
	for i, t := range script {
		kind, _ := cluster.KindOf(t.Event.Object)
		k := string(kind) + " " + cluster.Key(t.Event.Object)
		m[k] = append(m[k], i)
	}
	return m
}

// InOrderOf is a script with its versions where and when another has the same ones. Both have as many of each object.
func InOrderOf(script, order source.Script) source.Script {
	mine, out := ByObject(script), slices.Clone(order)
	for object, indexes := range ByObject(order) {
		for n, i := range indexes {
			out[i].Event = script[mine[object][n]].Event
		}
	}
	return out
}

// LastHash is the hash of the last cycle of a recorded script with kube-scheduler's defaults, and how many cycles it
// had.
func LastHash(script source.Script) (hash string, cycles int, err error) {
	in := &input.Input{Replay: input.Replay{World: input.Recorded, Script: script, Start: script[0].At}}
	player := in.Play(config.Default(), 0, trace.Reported)
	var printer trace.Printer
	for {
		step, ok := player.Step()
		if !ok {
			return hash, cycles, nil
		}
		c, is := trace.Fold(step.Facts)
		if step.Kind != play.Tried || !is {
			continue
		}
		d, err := printer.Print(c)
		if err != nil {
			return hash, cycles, err
		}
		hash, cycles = d.Hash, cycles+1
	}
}
