// Package cluster is what a scheduler believes about a cluster: the events it hears, the state they add up to,
// and the snapshot one cycle sees. API objects are parsed here once, into Pod and Node. It holds no queue, takes
// no decision, and knows no plugin.
package cluster
