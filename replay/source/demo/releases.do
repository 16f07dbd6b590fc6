# What is done before the demo is saved: a branch for each older release, and the main line to its end.
rewind
set release 1.29
continue
branch main
set release 1.19
continue
branch main
set release 1.10
continue
branch main
set release 1.6
continue
branch main
continue
