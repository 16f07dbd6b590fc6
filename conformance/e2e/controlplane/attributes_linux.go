package controlplane

import "syscall"

// attributes put a child into a group of its own, and have it killed when this process is.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
