// Package prose tells explanations and cycles in words: everything that is told of a pod, a node or a group, on the
// screen, in the prompt, by the command line and in markdown, is told here, once. It gives lines with a level, a role
// and text. It knows nothing of terminals, widths or colours: who shows the lines lays them out.
//
// The words themselves stand as format strings in the files named text_THEME.go, so that another language is other
// such files.
package prose
