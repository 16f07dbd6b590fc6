package release

import (
	"slices"

	utilversion "k8s.io/apimachinery/pkg/util/version"
)

// patches are earlier patches of releases in whose scheduler a pod can feel a fault that a later patch mended, newest
// first. Each stands for the patches of its release up to it, and after it the table of the release does.
var patches = []*Release{
	patch(v1_36, "1.36.1", Whole, func(r *Release) { r.Ways.DynamicResources.ScoreCountsEveryClaim = true }),
	patch(v1_34, "1.34.1", Whole, func(r *Release) { r.Ways.TaintToleration.ReasonNamesTaint = true }),
	patch(v1_33, "1.33.5", Whole, func(r *Release) { r.Behaviour.Reading.SidecarPortsUncounted = true }),
	patch(v1_31, "1.31.2", Whole, volumesAndVictimsOf2024),
	patch(v1_30, "1.30.6", "", volumesAndVictimsOf2024),
	patch(v1_29, "1.29.10", "", volumesAndVictimsOf2024),
}

// patch is the table of an earlier patch of a release, which is its version too, and what it was compared with.
func patch(of *Release, version, compared string, fault func(*Release)) *Release {
	return like(of, func(r *Release) {
		r.Version, r.Patch, r.Compared = version, version, compared
		fault(r)
	})
}

// volumesAndVictimsOf2024 are two faults that patches of November 2024 mended in three releases at once.
func volumesAndVictimsOf2024(r *Release) {
	r.Ways.VolumeBinding.LocalVolumesNameNodes = true
	r.Ways.DefaultPreemption.ProtectedVictimsFirst = true
}

// Patches lists the versions of the earlier patches of a release that have tables of their own, the newest first.
func (r *Release) Patches() []string {
	var versions []string
	for _, p := range patches {
		if p.minor() == r.minor() && p != r {
			versions = append(versions, p.Version)
		}
	}
	return versions
}

// Plays lists the versions of everything that can be played, the newest first: after each release its earlier patches.
func Plays() []string {
	var versions []string
	for _, r := range releases {
		versions = append(append(versions, r.Version), r.Patches()...)
	}
	return versions
}

// IsPatch reports whether this is an earlier patch of a release.
func (r *Release) IsPatch() bool { return r.Version == r.Patch }

// Next is the release after this one, and for an earlier patch the release itself; nil: this is the newest.
func (r *Release) Next() *Release {
	i := r.place()
	if r.IsPatch() {
		return releases[i]
	}
	if i == 0 {
		return nil
	}
	return releases[i-1]
}

// played is the table for a version of this release, which may name a patch.
func (r *Release) played(version string) *Release {
	if version == r.Version {
		return r
	}
	asked, err := utilversion.ParseGeneric(version)
	if err != nil {
		return r
	}
	of := r
	for _, p := range patches { // the newest first
		if p.minor() == r.minor() && utilversion.MustParseGeneric(p.Version).AtLeast(asked) {
			of = p
		}
	}
	return of
}

// place is where a release stands among all releases; a patch stands where its release does.
func (r *Release) place() int {
	return slices.IndexFunc(releases, func(other *Release) bool { return other.minor() == r.minor() })
}
