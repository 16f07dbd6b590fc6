// What oracles of kube-scheduler before 1.20 have in common. It is compiled with the versions that each of them asks for,
// and asks for none itself.
module github.com/schedstep/schedstep/conformance/releases/early

go 1.26.0
