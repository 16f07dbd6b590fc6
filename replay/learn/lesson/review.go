package lesson

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Review is a task that was done some days ago, and is worth doing again.
type Review struct {
	Lesson *Lesson
	Page   int // from 1
	Days   int // since it was done last
}

// restDays are how many days a task rests before it comes again, by how often it was reviewed.
var restDays = []int{3, 7, 21, 60}

// Day is a moment as the progress keeps it.
func Day(at time.Time) string { return at.Format(time.DateOnly) }

// Keep takes how far a learner is in a lesson on a day. Tasks that are done since have this day; those of the others
// stay.
func (p Progress) Keep(name string, now Standing, day string) {
	was := p[name]
	now.Days, now.Reviews = maps.Clone(was.Days), was.Reviews
	for _, id := range now.Passed {
		if !slices.Contains(was.Passed, id) {
			if now.Days == nil {
				now.Days = map[string]string{}
			}
			now.Days[id] = day
		}
	}
	p[name] = now
}

// Reviewed notes that a task was done again on a day.
func (p Progress) Reviewed(name, page, day string) {
	now := p[name]
	now.Days, now.Reviews = maps.Clone(now.Days), maps.Clone(now.Reviews)
	if now.Days == nil {
		now.Days = map[string]string{}
	}
	if now.Reviews == nil {
		now.Reviews = map[string]int{}
	}
	now.Days[page] = day
	now.Reviews[page]++
	p[name] = now
}

// Due are the tasks that are worth doing again on a day, those that rested longest first. A day that makes no sense is
// as none.
func (p Progress) Due(c Course, day string) []Review {
	today, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return nil
	}
	var due []Review
	for _, l := range c {
		was := p[l.Name]
		for i, page := range l.pages {
			done, err := time.Parse(time.DateOnly, was.Days[page.id])
			if page.task == nil || err != nil {
				continue
			}
			days := int(today.Sub(done).Hours()) / 24
			if days >= restDays[min(max(was.Reviews[page.id], 0), len(restDays)-1)] {
				due = append(due, Review{l, i + 1, days})
			}
		}
	}
	slices.SortStableFunc(due, func(a, b Review) int { return cmp.Compare(b.Days, a.Days) })
	return due
}
