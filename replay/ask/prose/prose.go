// Package prose puts explanations and cycles in words: every text about a pod, a node or a group, on the screen, at the
// prompt, on the command line and in markdown, is made here, once. It returns lines with a level, a role and text. It
// knows nothing of terminals, widths or colours: the caller lays the lines out.
//
// The words themselves stand as format strings in the files named text_THEME.go, so that another language is other
// such files.
package prose
