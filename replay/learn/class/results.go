package class

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Formats are those in which results can be written.
func Formats() []string { return []string{"csv", "json", "md"} }

// result is the result of one person.
type result struct {
	Name    string   `json:"name"`
	Key     string   `json:"key,omitempty"`
	Done    int      `json:"done"`
	Tasks   int      `json:"tasks"`
	Lessons []inOne  `json:"lessons"`
	Hints   int      `json:"hints"` // about tasks that were done
	Wrong   int      `json:"wrongAnswers"`
	Answers []Answer `json:"answers,omitempty"`
	Points  int      `json:"points"`
	Worth   int      `json:"worth"`
}

// inOne is the person's result in one lesson.
type inOne struct {
	Lesson string `json:"lesson"`
	Done   int    `json:"done"`
	Tasks  int    `json:"tasks"`
}

func (r *Room) results() []result {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]result, 0, len(r.people))
	for _, id := range r.ids() {
		p := r.people[id]
		one := result{Name: p.Name, Key: p.Key, Answers: p.Answers, Points: p.Points, Worth: p.Worth}
		for _, l := range r.course {
			done, of := p.Progress.Of(l)
			one.Done, one.Tasks = one.Done+done, one.Tasks+of
			one.Lessons = append(one.Lessons, inOne{l.Name, done, of})
		}
		for _, d := range p.Did {
			one.Hints += d.Hints
		}
		for _, a := range p.Answers {
			if !a.Right {
				one.Wrong++
			}
		}
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(a, b result) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Write writes the results of all people, by name, in one of Formats.
func (r *Room) Write(to io.Writer, format string) error {
	all := r.results()
	if format == "json" {
		e := json.NewEncoder(to)
		e.SetIndent("", "  ")
		return e.Encode(all)
	}
	head := []string{"name", "key", "done", "tasks"}
	for _, l := range r.course {
		head = append(head, l.Name)
	}
	rows := [][]string{append(head, "hints", "wrong answers", "points", "of")}
	for i := range all {
		one := &all[i]
		row := []string{one.Name, one.Key, strconv.Itoa(one.Done), strconv.Itoa(one.Tasks)}
		for _, l := range one.Lessons {
			row = append(row, strconv.Itoa(l.Done))
		}
		for _, n := range []int{one.Hints, one.Wrong, one.Points, one.Worth} {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, row)
	}
	if format == "csv" {
		return csv.NewWriter(to).WriteAll(rows)
	}
	for i, row := range rows {
		if _, err := fmt.Fprintf(to, "| %s |\n", strings.Join(row, " | ")); err != nil {
			return err
		}
		if i == 0 {
			if _, err := fmt.Fprintln(to, strings.Repeat("|---", len(row))+"|"); err != nil {
				return err
			}
		}
	}
	return nil
}
