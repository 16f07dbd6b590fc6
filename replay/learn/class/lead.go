package class

// Lead is the teacher's place, for the students that follow.
type Lead struct {
	On       bool
	Number   int    // another one at every change of place
	Lesson   string // its name; "": it is a demo
	Page     int    // from 1
	Demo     string
	Standing []byte // of the teacher's session: session.Stand takes it
}

// SameScene reports whether both are in the same place except for where the session stands.
func (l Lead) SameScene(o Lead) bool {
	return l.On == o.On && l.Lesson == o.Lesson && l.Page == o.Page && l.Demo == o.Demo
}

// Follow shows all students what the teacher sees, until they stop following.
func (r *Room) Follow(to Lead) {
	r.mu.Lock()
	defer r.mu.Unlock()
	began := !r.lead.On
	to.On, to.Number = true, r.lead.Number+1
	r.lead = to
	if began {
		for _, p := range r.people {
			p.follow = true
		}
	}
	r.change()
}

// Release ends that for all students.
func (r *Room) Release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lead = Lead{Number: r.lead.Number + 1}
	r.change()
}

// Lead is where the teacher is.
func (r *Room) Lead() Lead {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lead
}

// Led is the person they follow; On is false while they go their own way.
func (s *Seat) Led() Lead {
	r := s.room
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.people[s.id].follow {
		return Lead{}
	}
	return r.lead
}

// LetGo has them go their own way, until the teacher begins anew.
func (s *Seat) LetGo() {
	r := s.room
	r.mu.Lock()
	defer r.mu.Unlock()
	r.people[s.id].follow = false
	r.change()
}
