package panel

import (
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/view"
	"github.com/schedstep/schedstep/tui/widget"
)

// nodeRows is a table with a row for every node that is shown, and columns about the whole node or about one plugin.
type nodeRows interface {
	widget.Table
	// nodeAt is the node of a row: its index in Matrix.Nodes, and its name.
	nodeAt(row int) (int, string)
	// rowOf is the row of a node by its name; -1 if it is not shown.
	rowOf(name string) int
	// pluginAt is the plugin a column is about, and its index as a Selection has it; -1 for a column about the whole node.
	pluginAt(column int) (int, string)
	// subjects are what a column about the whole node and one about a plugin select.
	subjects() (whole, plugin view.Subject)
}

// nodeGrid is a cursor on nodeRows. It stays on its node and its plugin when the rows and columns change. Every method
// does nothing where rows are nil: the frame has none.
type nodeGrid struct {
	widget.Grid
	node   string // under the cursor; "": it was never moved
	plugin string // likewise; "" on the columns about the whole node
}

// move takes the cursor some rows down and some columns to the right.
func (g *nodeGrid) move(rows nodeRows, down, right int) {
	if rows != nil {
		g.Move(rows, down, right)
		g.remember(rows)
	}
}

// movePages takes the cursor whole windows down; less than zero is up.
func (g *nodeGrid) movePages(rows nodeRows, pages int) {
	if rows != nil {
		g.MovePages(rows, pages)
		g.remember(rows)
	}
}

// moveTo takes the cursor to the first or the last node.
func (g *nodeGrid) moveTo(rows nodeRows, end End) {
	if rows == nil {
		return
	}
	row := 0
	if end == Last {
		row = rows.Rows() - 1
	}
	g.moveToRow(rows, row)
}

// point puts the cursor on what was drawn at a place of the region; false: nothing to be on is there.
func (g *nodeGrid) point(rows nodeRows, x, y int) bool {
	if rows == nil {
		return false
	}
	row, column, ok := g.At(rows, x, y)
	if !ok {
		return false
	}
	if row == widget.HeaderRow {
		row, _ = g.Cursor()
	}
	g.MoveTo(rows, row, column)
	g.remember(rows)
	return true
}

// find puts the cursor on a node; false if it is not shown.
func (g *nodeGrid) find(rows nodeRows, node string) bool {
	if rows == nil {
		return false
	}
	row := rows.rowOf(node)
	if row >= 0 {
		g.moveToRow(rows, row)
	}
	return row >= 0
}

func (g *nodeGrid) moveToRow(rows nodeRows, row int) {
	_, column := g.Cursor()
	g.MoveTo(rows, row, column)
	g.remember(rows)
}

// selection is the node, or the plugin's answer about it, under the cursor.
func (g *nodeGrid) selection(f *session.Frame, rows nodeRows) view.Selection {
	s := view.Nothing()
	if rows == nil || rows.Rows() == 0 {
		return s
	}
	row, column := g.Cursor()
	row, column = min(row, rows.Rows()-1), min(column, len(g.Columns)-1)
	whole, plugin := rows.subjects()
	s.Subject, s.Pod = whole, f.About().Entity.Key()
	s.NodeIndex, s.Node = rows.nodeAt(row)
	if at, name := rows.pluginAt(column); at >= 0 {
		s.Subject, s.PluginIndex, s.Plugin = plugin, at, name
	}
	return s
}

// remember notes what is under the cursor.
func (g *nodeGrid) remember(rows nodeRows) {
	if rows.Rows() == 0 {
		return
	}
	row, column := g.Cursor()
	_, g.node = rows.nodeAt(row)
	_, g.plugin = rows.pluginAt(column)
}

// restore puts the cursor on the node and plugin it was on before the rows changed, or leaves it where it is.
func (g *nodeGrid) restore(rows nodeRows) {
	row, column := g.Cursor()
	if g.node != "" {
		if found := rows.rowOf(g.node); found >= 0 {
			row = found
		}
	}
	if g.plugin != "" {
		for at := range g.Columns {
			if _, name := rows.pluginAt(at); name == g.plugin {
				column = at
			}
		}
	}
	g.MoveTo(rows, row, column)
}

// arrange takes new columns, of which the first stay while the others scroll.
func (g *nodeGrid) arrange(rows nodeRows, columns []widget.Column, frozen int) {
	g.Columns, g.Frozen = columns, min(frozen, len(columns))
	g.restore(rows)
}

// spread appends the titles of columns to titles: each as wide as its text, and the column last as wide as what is
// left.
func spread(
	titles []widget.Column, width int, columns []int, last int, titleOf func(column int) widget.Column,
) []widget.Column {
	left := width - 1
	for _, column := range columns {
		title := titleOf(column)
		if column == last {
			title.Width = max(left, 1)
		}
		left -= title.Width + 1
		titles = append(titles, title)
	}
	return titles
}
