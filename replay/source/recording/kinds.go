package recording

import "github.com/schedstep/schedstep/core/cluster"

// blank is an object of a kind with nothing in it but its kind and the version it is written in; nil for a kind that
// recordings do not hold: the scheduler neither reads it nor writes its decisions to it.
func blank(kind cluster.Kind) cluster.Object {
	row := cluster.RowOf(kind)
	if row == nil || row.Reader != cluster.ReadByScheduler && row.Reader != cluster.ReadToCompare {
		return nil
	}
	return row.Blank()
}
