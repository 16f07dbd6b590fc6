// Package fwk has kube-scheduler's plugin interfaces under one import path for every release: they were in
// k8s.io/kubernetes up to 1.33 and moved to k8s.io/kube-scheduler in 1.34 and 1.35. It is a list of names, and has no
// code of its own but what made one name of two.
package fwk
