package class

import (
	"errors"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/learn/predict"
)

// round is one decision that all guess.
type round struct {
	number   int
	question []string
	open     bool
	judge    func(predict.Guess) predict.Verdict
	answer   []string
	verdicts map[string]predict.Verdict // by id, once it is closed
}

// Question is the question of a round.
type Question struct {
	Number int // from 1; 0: there was no round yet
	Open   bool
	Lines  []string
	Answer []string // none while the round is open
}

// Ask begins a round. A round that is still open is dropped. answer is what there is to read once it is closed.
func (r *Room) Ask(question []string, judge func(predict.Guess) predict.Verdict, answer []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rounds++
	r.round = &round{
		number: r.rounds, question: question, open: true, judge: judge, answer: answer,
		verdicts: map[string]predict.Verdict{},
	}
	for _, p := range r.people {
		p.guess = ""
	}
	r.change()
}

// Question is the last question.
func (r *Room) Question() Question {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.round == nil {
		return Question{}
	}
	q := Question{Number: r.round.number, Open: r.round.open, Lines: r.round.question}
	if !q.Open {
		q.Answer = r.round.answer
	}
	return q
}

// Guess records a student's guess; a later guess in the same round replaces an earlier one.
func (s *Seat) Guess(text string) error {
	if _, err := predict.ParseGuess(strings.Fields(text)); err != nil {
		return err
	}
	r := s.room
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.round == nil || !r.round.open {
		return phrase.Errorf("guess: the teacher has not asked, or has closed the round")
	}
	p := r.people[s.id]
	p.guess = text
	r.tell(p, "guesses")
	return nil
}

// Tally is how many guessed one node, and how many were wholly right.
type Tally struct {
	Guess   string // the node, or none
	Guesses int
	Right   bool // known once the round is closed
}

// Tally counts the guesses of the last round by node, those that most guessed first.
func (r *Room) Tally() []Tally {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []Tally
	for _, id := range r.ids() {
		p := r.people[id]
		if p.guess == "" {
			continue
		}
		node := strings.Fields(p.guess)[0]
		i := slices.IndexFunc(all, func(t Tally) bool { return t.Guess == node })
		if i < 0 {
			i = len(all)
			all = append(all, Tally{Guess: node})
		}
		all[i].Guesses++
		all[i].Right = r.round.verdicts[id].Node
	}
	slices.SortStableFunc(all, func(a, b Tally) int { return b.Guesses - a.Guesses })
	return all
}

// Close ends the round: every guess is judged, and its points are kept.
func (r *Room) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.round == nil || !r.round.open {
		return phrase.Errorf("no round is open")
	}
	r.round.open = false
	var wrong []error
	for _, id := range r.ids() {
		p := r.people[id]
		if p.guess == "" {
			continue
		}
		g, err := predict.ParseGuess(strings.Fields(p.guess))
		if err != nil {
			continue // Guess took no such guess
		}
		v := r.round.judge(g)
		r.round.verdicts[id] = v
		p.Points, p.Worth = p.Points+v.Points, p.Worth+v.Of
		wrong = append(wrong, r.store.write(id, &p.record))
	}
	r.change()
	return errors.Join(wrong...)
}

// Verdict is the result of the student's guess in the last round; false while the round is open, and without a guess.
func (s *Seat) Verdict() (predict.Verdict, bool) {
	r := s.room
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.round == nil || r.round.open {
		return predict.Verdict{}, false
	}
	v, there := r.round.verdicts[s.id]
	return v, there
}

// ids are those of all people, in a fixed order. The room is locked.
func (r *Room) ids() []string {
	ids := make([]string, 0, len(r.people))
	for id := range r.people {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
