package lesson

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Progress is how far a learner is in each lesson, by the lesson's name.
type Progress map[string]Standing

// Standing is how far a learner is in one lesson.
type Standing struct {
	Page   string   `json:"page"`   // that was open last
	Passed []string `json:"passed"` // pages whose tasks are done
	// Points of these pages, of MostPoints each; pages that were done before there were points have none.
	Points map[string]int `json:"points,omitempty"`
	// Minutes that these pages of a capstone took.
	Minutes map[string]int `json:"minutes,omitempty"`
	// Days on which these pages were done last, such as 2026-11-27, and how often they were done again.
	Days    map[string]string `json:"days,omitempty"`
	Reviews map[string]int    `json:"reviews,omitempty"`
}

// ReadProgress reads what Bytes wrote.
func ReadProgress(data []byte) (Progress, error) {
	p := Progress{}
	if len(data) == 0 {
		return p, nil
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, phrase.Errorf("it is not what learn writes: %w (learn --reset begins anew)", err)
	}
	return p, nil
}

// Bytes are the progress to be kept.
func (p Progress) Bytes() ([]byte, error) {
	data, err := json.MarshalIndent(p, "", "  ")
	return append(data, '\n'), err
}

// Begin opens a lesson where the learner left it; one whose tasks are all done begins anew.
func (p Progress) Begin(ctx context.Context, l *Lesson, act Play, language string) (*Walk, error) {
	was := p[l.Name]
	if done, of := p.Of(l); done == of {
		was.Page = ""
	}
	return l.begin(ctx, act, language, was)
}

// Of is how many tasks of a lesson are done, and how many it has.
func (p Progress) Of(l *Lesson) (done, of int) {
	tasks := l.Tasks()
	for _, id := range tasks {
		if slices.Contains(p[l.Name].Passed, id) {
			done++
		}
	}
	return done, len(tasks)
}

// Minutes is how long the tasks of a lesson took that are done; 0: nothing measured them.
func (p Progress) Minutes(l *Lesson) int {
	all := 0
	for _, id := range l.Tasks() {
		all += p[l.Name].Minutes[id]
	}
	return all
}

// Points are those of a lesson's tasks that are done, and what these tasks could give.
func (p Progress) Points(l *Lesson) (points, of int) {
	for _, id := range l.Tasks() {
		if n, kept := p[l.Name].Points[id]; kept {
			points, of = points+n, of+MostPoints
		}
	}
	return points, of
}
