// Package pty opens pseudo terminals for tests that look at what a person sees of a program. It reads no picture out of
// what the program writes, and starts no program.
package pty

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Open is a new terminal of that size: the person's end, and the program's. The caller closes both.
func Open(columns, rows uint16) (person, program *os.File, err error) {
	person, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			_ = person.Close()
		}
	}()
	if err = unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	if err = Resize(program, columns, rows); err != nil {
		_ = program.Close()
		return nil, nil, err
	}
	return person, program, nil
}

// Resize sets the size of a terminal, which signals its program.
func Resize(program *os.File, columns, rows uint16) error {
	return unix.IoctlSetWinsize(int(program.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns})
}
