// Package beside holds the examples, which are plugins for kube-scheduler's framework, to the real kube-scheduler: in
// drawn clusters one of them decides twice, hosted by schedstep and registered with kube-scheduler. It is a module of
// its own, so that what links package host needs none of the examples. It has tests alone.
package beside
