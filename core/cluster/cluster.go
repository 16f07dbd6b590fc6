// Package cluster is a scheduler's view of a cluster: the events it receives, the state they add up to, and the
// snapshot that one cycle reads. API objects are parsed here once, into Pod and Node. It holds no queue, takes no
// decision, and knows no plugin.
package cluster
