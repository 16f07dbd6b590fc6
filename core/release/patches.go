package release

import utilversion "k8s.io/apimachinery/pkg/util/version"

// patches are earlier patches of releases in whose scheduler a pod can feel a fault that a later patch mended. Each
// stands for the patches of its release up to it, and after it the table of the release does.
var patches = []*Release{v1_36_1, v1_34_1, v1_33_5, v1_31_2, v1_30_6, v1_29_10}

// v1_36_1 is kube-scheduler 1.36.0 and 1.36.1.
var v1_36_1 = like(v1_36, func(r *Release) {
	r.patch("1.36.1")
	r.Compared = Whole
	r.Ways.DynamicResources.ScoreCountsEveryClaim = true
})

// v1_34_1 is kube-scheduler 1.34.0 and 1.34.1.
var v1_34_1 = like(v1_34, func(r *Release) {
	r.patch("1.34.1")
	r.Compared = Whole
	r.Ways.TaintToleration.ReasonNamesTaint = true
})

// v1_33_5 is kube-scheduler 1.33.0 to 1.33.5.
var v1_33_5 = like(v1_33, func(r *Release) {
	r.patch("1.33.5")
	r.Compared = Whole
	r.Behaviour.Reading.SidecarPortsUncounted = true
})

// v1_31_2 is kube-scheduler 1.31.0 to 1.31.2.
var v1_31_2 = like(v1_31, func(r *Release) {
	r.patch("1.31.2")
	r.Compared = Whole
	r.volumesAndVictimsOf2024()
})

// v1_30_6 is kube-scheduler 1.30.0 to 1.30.6.
var v1_30_6 = like(v1_30, func(r *Release) {
	r.patch("1.30.6")
	r.volumesAndVictimsOf2024()
})

// v1_29_10 is kube-scheduler 1.29.0 to 1.29.10.
var v1_29_10 = like(v1_29, func(r *Release) {
	r.patch("1.29.10")
	r.volumesAndVictimsOf2024()
})

// patch names the patch that a table stands for, which is its version.
func (r *Release) patch(version string) { r.Version, r.Patch = version, version }

// volumesAndVictimsOf2024 are two faults that patches of November 2024 mended in three releases at once.
func (r *Release) volumesAndVictimsOf2024() {
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
	for i, other := range releases {
		if other.minor() == r.minor() {
			return i
		}
	}
	return -1
}
