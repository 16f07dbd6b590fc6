// Package duckdb is the queries of docs/sweeps.md, run by DuckDB over the tables of a sweep. It is a module of its own,
// because DuckDB is C++ and large; nothing of schedstep is linked with it.
package duckdb
