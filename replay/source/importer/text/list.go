package text

import "bytes"

// Item is one element of a list in block style, with its dash.
type Item struct {
	Start, End int // in the document's text
	Line       int // lines above it in the document
}

// CutList finds the elements of a top-level "items:" in block style. outer is the document with an empty list in their
// place. items is nil when the document has another form.
func CutList(text []byte) (outer []byte, items []Item) {
	head := itemsLine(text)
	if head < 0 {
		return nil, nil
	}
	indent, start, at, line := -1, -1, head, bytes.Count(text[:head], []byte{'\n'})
	for at < len(text) {
		end := lineEnd(text, at)
		depth, blank := indentation(text[at:end])
		dash := !blank && (text[at+depth] == '-' && (at+depth+1 == end || isSpace(text[at+depth+1])))
		if indent < 0 && !blank {
			if !dash {
				return nil, nil
			}
			indent = depth
		}
		if !blank && (depth < indent || depth == indent && !dash) {
			break
		}
		if dash && depth == indent {
			if start >= 0 {
				items[len(items)-1].End = at
			}
			start = at
			items = append(items, Item{Start: at, Line: line})
		}
		at = end
		line++
	}
	if len(items) < 2 {
		return nil, nil
	}
	items[len(items)-1].End = at
	outer = append(outer, text[:head-1]...)
	outer = append(append(outer, " []\n"...), text[at:]...)
	return outer, items
}

// itemsLine is the place after the line "items:", or -1.
func itemsLine(text []byte) int {
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		if line := bytes.TrimRight(text[at:end], " \t\r\n"); string(line) == "items:" && end < len(text) &&
			end == at+len("items:\n") {
			return end
		}
		at = end
	}
	return -1
}

// indentation counts spaces; a line of white space or a comment is blank and belongs to whatever is around it.
func indentation(line []byte) (depth int, blank bool) {
	for depth < len(line) && line[depth] == ' ' {
		depth++
	}
	rest := bytes.TrimSpace(line[depth:])
	return depth, len(rest) == 0 || rest[0] == '#'
}
