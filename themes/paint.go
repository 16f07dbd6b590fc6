package themes

// Paint names how a cell looks: a role, and how far it stands out from its surroundings. It is an index
// and means the same in every theme; Styles turns it into what the terminal is sent.
type Paint uint8

// The roles. A panel picks the role that fits the meaning of a thing; no panel picks a colour.
const (
	Text Paint = iota
	Muted
	Accent
	Title
	Border
	BorderFocus
	Pass
	Fail
	FailUnresolvable // a failure that preemption cannot resolve
	NotAsked         // kube-scheduler had stopped before this plugin
	NotSampled       // kube-scheduler had seen enough nodes before this one
	Error
	Warn
	QueueActive
	QueueBackoff
	QueueUnschedulable
	QueueGated
	QueueInFlight
	firstScore
)

// ScoreSteps is the number of shades between the lowest and the highest score.
const ScoreSteps = 7

// A paint is a role in the lower five bits and up to three of these.
const (
	lit Paint = 1 << (5 + iota)
	selected
	strong

	roleMask   = lit - 1
	paintCount = 1 << 8
)

// Score is the shade for a score that is the given part, 0 to 1, of the range shown. What lies outside is
// drawn as the nearest end.
func Score(part float64) Paint {
	step := int(part * ScoreSteps)
	return firstScore + Paint(min(max(step, 0), ScoreSteps-1))
}

// Lit is the paint on the row or column that the cursor is in.
func (p Paint) Lit() Paint { return p | lit }

// Selected is the paint under the cursor. It outranks Lit.
func (p Paint) Selected() Paint { return p | selected }

// Strong is the paint with more weight, for one word among others.
func (p Paint) Strong() Paint { return p | strong }

func (p Paint) isScore() bool {
	role := p & roleMask
	return role >= firstScore && role < firstScore+ScoreSteps
}
