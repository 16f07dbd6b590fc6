// Package view is how a frame is looked at, as data and text: what is selected, the tables in their orders, the nodes
// of the cluster, figures, and why something is so. It draws nothing and knows no session: the panels of the screen
// draw it, and the verbs write it as lines and files.
package view
