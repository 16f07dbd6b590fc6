package screen

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/schedstep/schedstep/tui/layout"
)

// perform runs a command and every command that follows from it, in order; patience bounds a run that never ends.
func perform(a *app, cmd tea.Cmd, patience int) {
	queue := []tea.Cmd{cmd}
	for ; len(queue) > 0 && patience > 0; patience-- {
		next := queue[0]
		queue = queue[1:]
		if next == nil {
			continue
		}
		switch msg := next().(type) {
		case nil, tea.QuitMsg:
		case tea.BatchMsg:
			queue = append(queue, msg...)
		default:
			_, more := a.Update(msg)
			queue = append(queue, more)
		}
	}
}

func TestNoKeysAtAnySizeBreakTheScreen(t *testing.T) {
	keys := []tea.KeyPressMsg{
		{Code: tea.KeyEnter},
		{Code: tea.KeyEscape},
		{Code: tea.KeyTab},
		{Code: tea.KeyTab, Mod: tea.ModShift},
		{Code: tea.KeySpace, Text: " "},
		{Code: tea.KeyUp},
		{Code: tea.KeyDown},
		{Code: tea.KeyLeft},
		{Code: tea.KeyRight},
		{Code: tea.KeyPgUp},
		{Code: tea.KeyPgDown},
		{Code: tea.KeyHome},
		{Code: tea.KeyEnd},
		{Code: tea.KeyBackspace},
		{Code: tea.KeyDelete},
		{Code: 'w', Mod: tea.ModCtrl},
	}
	for _, text := range "nNsSpbocCg+-BmwuxyY?zvrft123456[]/:jkhlG0 deéw界" {
		keys = append(keys, press(string(text)))
	}
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(60) {
			r := rand.New(rand.NewPCG(seed, 0))
			a := crowd(t, 7, layout.Size{Width: 80, Height: 24})
			var pressed []string
			for range 40 {
				if r.IntN(10) == 0 {
					a.Update(tea.WindowSizeMsg{Width: r.IntN(170), Height: r.IntN(50)})
				}
				key := keys[r.IntN(len(keys))]
				pressed = append(pressed, key.String())
				_, cmd := a.Update(key)
				perform(a, cmd, 20)
				if err := misfit(a); err != nil {
					t.Fatalf("seed %d, %v, keys %q: %v", seed, a.size, pressed, err)
				}
			}
			a.stopWork()
		}
	})
}

// misfit is how a view is not exactly as large as the screen.
func misfit(a *app) error {
	lines := strings.Split(a.View().Content, "\n")
	if want := max(a.size.Height, 1); len(lines) != want {
		return fmt.Errorf("%d lines on a screen of %d", len(lines), want)
	}
	for i, l := range lines {
		if got := lipgloss.Width(l); got != a.size.Width && a.size.Height > 0 {
			return fmt.Errorf("line %d is %d columns wide on a screen of %d: %q", i, got, a.size.Width, l)
		}
	}
	return nil
}

func TestMouseAnywhereBreaksNothing(t *testing.T) {
	scenes := []string{"", "n", "nB", "n?", "/", "n6", "n3", "nz", "n:"}
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(60) {
			r := rand.New(rand.NewPCG(seed, 1))
			size := layout.Size{Width: 1 + r.IntN(170), Height: 1 + r.IntN(50)}
			a := crowd(t, 7, size)
			scene := scenes[r.IntN(len(scenes))]
			for _, key := range scene {
				_, cmd := a.Update(press(string(key)))
				perform(a, cmd, 20)
			}
			a.View()
			at := tea.Mouse{X: r.IntN(size.Width + 1), Y: r.IntN(size.Height + 1), Button: tea.MouseLeft}
			for _, msg := range []tea.Msg{
				tea.MouseClickMsg(at), tea.MouseMotionMsg(at), tea.MouseClickMsg(at),
				tea.MouseWheelMsg{X: at.X, Y: at.Y, Button: tea.MouseWheelDown},
			} {
				_, cmd := a.Update(msg)
				perform(a, cmd, 20)
				if err := misfit(a); err != nil {
					t.Fatalf("seed %d, %v, scene %q, mouse %v: %v", seed, size, scene, at, err)
				}
			}
			a.stopWork()
		}
	})
}

func TestEnterTakesWhatIsTypedEvenBeforeTheSearchIsDone(t *testing.T) {
	picked := ""
	c := &chooser{prompt: "/", pick: func(_ *app, it item) tea.Cmd { picked = it.value; return nil }}
	for i := range 2 * inline {
		name := "node-" + strings.Repeat("x", i%7) + string(rune('a'+i%26))
		c.items = append(c.items, item{label: name, value: name})
	}
	c.items = append(c.items, item{label: "quartz", value: "quartz"})
	a := crowd(t, 1, layout.Size{Width: 80, Height: 24})
	a.popup = c
	c.start("")
	for _, letter := range "quartz" {
		a.Update(press(string(letter)))
	}
	a.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	if picked != "quartz" {
		t.Errorf("enter picked %q", picked)
	}
}

func TestALateSearchDoesNotReplaceANewerOne(t *testing.T) {
	c := &chooser{items: []item{{label: "a"}, {label: "b"}}}
	c.start("")
	c.search = 3
	c.take(found{c, 3, []int{1}})
	c.take(found{c, 2, []int{0}})
	if len(c.shown) != 1 || c.shown[0] != 1 {
		t.Errorf("shown is %v", c.shown)
	}
}

func TestThemeSuitsTheBackgroundUnlessOneWasChosen(t *testing.T) {
	white := tea.BackgroundColorMsg{Color: lipgloss.Color("#ffffff")}
	a := crowd(t, 1, layout.Size{Width: 80, Height: 24})
	if a.Init() == nil {
		t.Error("the background is not asked for")
	}
	a.Update(white)
	if a.styles.Name != lightTheme {
		t.Errorf("on white the theme is %s", a.styles.Name)
	}
	a, err := newApp(t.Context(), a.session, Options{Theme: "mono"})
	if err != nil {
		t.Fatal(err)
	}
	a.Update(white)
	if a.styles.Name != "mono" {
		t.Errorf("the chosen theme became %s", a.styles.Name)
	}
}

func TestUnknownThemeIsAnErrorBeforeTheScreenStarts(t *testing.T) {
	a := crowd(t, 1, layout.Size{Width: 80, Height: 24})
	if _, err := newApp(t.Context(), a.session, Options{Theme: "nonsuch"}); err == nil ||
		!strings.Contains(err.Error(), "nonsuch") {
		t.Errorf("the error is %v", err)
	}
}

func TestPastedTextIsNotTakenForKeys(t *testing.T) {
	a := crowd(t, 1, layout.Size{Width: 80, Height: 24})
	a.Update(tea.PasteMsg{Content: "nnnq"})
	if a.job != nil {
		t.Error("pasted letters moved the replay")
	}
	a.Update(press(":"))
	a.Update(tea.PasteMsg{Content: "goto\nweb-3\x1b[2J"})
	p, ok := a.popup.(*commandLine)
	if !ok || p.typed.String() != "goto web-3[2J" {
		t.Errorf("the command line holds %v", a.popup)
	}
}
