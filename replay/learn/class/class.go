// Package class is people that learn together: the students with their places, their answers, the teacher that they
// follow, and the rounds in which all guess, with the results. It keeps each student's progress. It draws nothing, and
// does not know how students connect.
package class

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/learn/lesson"
)

// Room is a class. Any goroutine may use it.
type Room struct {
	clock  clock.PassiveClock
	course lesson.Course
	words  lesson.Words
	store  Store

	mu      sync.Mutex
	people  map[string]*person // by id
	changed chan struct{}      // closed at the next change
	lead    Lead
	round   *round // the last one; nil: there was none
	rounds  int
	news    []News
	told    int // how much there ever was of it
}

// person is a student that is or was in the class.
type person struct {
	record
	id     string
	seat   *Seat // nil: they are not here
	place  Place
	since  time.Time // that they are on this page
	guess  string    // in the round that is open
	follow bool      // they see what the teacher sees
}

// Place is a student's place.
type Place struct {
	Lesson string // its name; "": none is open
	Page   int    // from 1
	Pages  int
	Task   string // the name of the page, if it has a task
	Done   bool   // the task is
	Hints  int    // hints shown on this page
	Hint   int    // that there are
	Answer string // the last one
	Demo   string // its name; "": none is open
	Cycle  int64  // the last one that began
}

// New is a class that takes a course, with all students that were in it before.
func New(course lesson.Course, words lesson.Words, store Store, c clock.PassiveClock) (*Room, error) {
	records, err := store.read()
	if err != nil {
		return nil, err
	}
	r := &Room{
		clock: c, course: course, words: words, store: store, people: map[string]*person{}, changed: make(chan struct{}),
	}
	for id, kept := range records {
		r.people[id] = &person{id: id, record: kept}
	}
	return r, nil
}

// Course are the lessons.
func (r *Room) Course() lesson.Course { return r.course }

// Words are the texts of the class in its language.
func (r *Room) Words() lesson.Words { return r.words }

// Changed is closed at the next change of anything in the class.
func (r *Room) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

// change wakes every goroutine that waits for a change. The room is locked.
func (r *Room) change() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// Seat is one connected student. Any goroutine may use it.
type Seat struct {
	room *Room
	id   string
	gone func(why phrase.Text)
}

// Enter seats a student: by the key if there is one, else by the name. When the same student is already connected, gone
// is called on the older connection, which has to end.
func (r *Room) Enter(name, key string, gone func(why phrase.Text)) (*Seat, error) {
	id := idOf(name, key)
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.people[id]
	if p == nil {
		if len(r.people) >= mostPeople {
			r.forgetGuests()
		}
		if len(r.people) >= mostPeople {
			return nil, phrase.Errorf("the class has seen too many people")
		}
		p = &person{id: id, record: record{Progress: lesson.Progress{}}}
		r.people[id] = p
	}
	if p.seat != nil {
		p.seat.gone("You came in again from elsewhere.")
	}
	s := &Seat{room: r, id: id, gone: gone}
	p.Name, p.Key, p.seat, p.place, p.since = name, key, s, Place{}, r.clock.Now()
	p.follow = r.lead.On
	r.tell(p, "came in")
	return s, r.store.write(id, &p.record)
}

// mostPeople is how many people a class remembers.
const mostPeople = 1000

// forgetGuests forgets students without a key that left and did nothing: a client with the password can connect under
// many names. The room is locked.
func (r *Room) forgetGuests() {
	for id, p := range r.people {
		if p.seat == nil && len(p.Did)+len(p.Answers)+p.Worth == 0 {
			delete(r.people, id)
			r.store.forget(id)
		}
	}
}

// Leave ends the seat of a student that disconnects.
func (s *Seat) Leave() {
	r := s.room
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.people[s.id]; p.seat == s {
		p.seat = nil
		r.tell(p, "went")
	}
}

// Room is the class of the seat.
func (s *Seat) Room() *Room { return s.room }

// Progress is how far they are.
func (s *Seat) Progress() lesson.Progress {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	return maps.Clone(s.room.people[s.id].Progress)
}

// Keep keeps how far they are in a lesson.
func (s *Seat) Keep(name string, now lesson.Standing) error {
	r := s.room
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.people[s.id]
	was := p.Progress[name]
	p.Progress[name] = now
	for _, task := range now.Passed {
		if !slices.Contains(was.Passed, task) {
			p.Did = append(p.Did, did{r.clock.Now().UTC(), name, task, p.place.Hints})
			r.tell(p, phrase.Textf("did %s", name+"/"+task))
		}
	}
	r.change()
	return r.store.write(s.id, &p.record)
}

// Here records the student's place.
func (s *Seat) Here(now Place) {
	r := s.room
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.people[s.id]
	was := p.place
	if now == was {
		return
	}
	p.place = now
	if was.Lesson != now.Lesson || was.Page != now.Page || was.Demo != now.Demo {
		p.since = r.clock.Now()
	} else if now.Hints > was.Hints {
		r.tell(p, phrase.Textf("asks for a hint about %s", now.Lesson+"/"+now.Task))
	}
	if now.Answer != "" && now.Answer != was.Answer && now.Task != "" {
		text := now.Answer
		if letters := []rune(text); len(letters) > mostOfAnAnswer {
			text = string(letters[:mostOfAnAnswer]) + "…"
		}
		p.Answers = append(p.Answers, Answer{r.clock.Now().UTC(), now.Lesson, now.Task, text, now.Done})
		p.Answers = p.Answers[max(len(p.Answers)-mostAnswers, 0):]
		r.tell(p, phrase.Textf("answers %s to %s", text, now.Lesson+"/"+now.Task))
	}
	r.change()
}

// How many answers of one person are kept, and how many letters of each. All of them fit into what a Store reads.
const (
	mostAnswers    = 200
	mostOfAnAnswer = 200
)

// News is something that happened in the class.
type News struct {
	At   time.Time
	Name string
	What phrase.Text
}

// mostNews is how much of what happened is kept.
const mostNews = 200

// tell adds an action of a student to the news. The room is locked.
func (r *Room) tell(p *person, what phrase.Text) {
	r.told++
	r.news = append(r.news, News{r.clock.Now(), p.Name, what})
	r.news = r.news[max(len(r.news)-mostNews, 0):]
	r.change()
}

// News is what happened, the oldest first.
func (r *Room) News() []News {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.news)
}

// NewsSince is what happened after so much had happened, as far as it is kept, and how much there is now.
func (r *Room) NewsSince(told int) (news []News, now int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.news[max(len(r.news)-(r.told-told), 0):]), r.told
}

// Student is a student as the teacher's desk shows one.
type Student struct {
	Name     string
	Key      string
	Here     bool
	Follows  bool
	Place    Place
	On       time.Duration // on this page
	Stuck    bool
	Done, Of int // tasks of the course
	Points   int // of the rounds
	Worth    int // that they could have
	Guess    string
}

// stuckAfter is how long a student is on a task before the desk shows them as stuck; after the last hint it does so at
// once.
const stuckAfter = 4 * time.Minute

// Students are all students, the connected ones first, then by name.
func (r *Room) Students() []Student {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]Student, 0, len(r.people))
	for _, p := range r.people {
		s := Student{
			Name: p.Name, Key: p.Key, Here: p.seat != nil, Follows: p.seat != nil && p.follow && r.lead.On, Place: p.place,
			Points: p.Points, Worth: p.Worth, Guess: p.guess,
		}
		for _, l := range r.course {
			done, of := p.Progress.Of(l)
			s.Done, s.Of = s.Done+done, s.Of+of
		}
		if s.Here {
			s.On = r.clock.Since(p.since)
			open := p.place.Task != "" && !p.place.Done
			s.Stuck = open && !s.Follows && (s.On >= stuckAfter || p.place.Hint > 0 && p.place.Hints == p.place.Hint)
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Student) int {
		if a.Here != b.Here {
			if a.Here {
				return -1
			}
			return 1
		}
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Key, b.Key))
	})
	return all
}
