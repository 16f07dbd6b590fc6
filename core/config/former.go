package config

import (
	"github.com/schedstep/schedstep/core/former"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/release"
)

// maker builds a plugin out of the args of a profile.
type maker = func(*arguments) (framework.Plugin, error)

// makerOf returns what builds a plugin; nil: this build knows the name only, and lets every pod pass.
func makerOf(name string) maker {
	if m, has := makers[name]; has {
		return m
	}
	if m, has := former.MakerOf(name); has {
		return formerMaker(m)
	}
	return nil
}

// formerMaker builds a plugin that only old releases have.
func formerMaker(of former.Maker) maker {
	return func(a *arguments) (framework.Plugin, error) {
		return of(&former.Args{
			Fit: a.fit, InterPodAffinity: a.interPodAffinity, NodeAffinity: a.nodeAffinity, VolumeBinding: a.volumeBinding,
			NodeLabel: a.former.nodeLabel.Args, ServiceAffinity: a.former.serviceAffinity.Args, Ways: a.ways,
		})
	}
}

// formerRow is a predicate or priority that a Policy makes under a name of its own.
func formerRow(name string, point framework.Point, weight int32, of former.Maker) row {
	return row{
		Plugin: release.Plugin{Name: name, Points: []framework.Point{point}, Weight: weight, In: release.Never},
		make:   formerMaker(of),
	}
}
