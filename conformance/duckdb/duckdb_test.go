package duckdb_test

import (
	"context"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2" // the driver duckdb
)

// swept is a folder with the tables of a sweep in which some pods get no node, and some variants change nothing.
func swept(t *testing.T) string {
	t.Helper()
	program := os.Getenv("SCHEDSTEP")
	if program == "" {
		t.Fatal("SCHEDSTEP must name the program; make queries builds it and runs this test")
	}
	out := filepath.Join(t.TempDir(), "out")
	sweep := exec.Command(program, "sweep", "demo:volumes", "-q", "-o", out, "--price", "cpu=0.5",
		"--vary", "weight.NodeResourcesFit=1,50", "--vary", "order=-,reversed,large-first", "--vary", "seed=0..1")
	if told, err := sweep.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, told)
	}
	return out
}

// queries are those of a document, with the comment in front of each.
func queries(t *testing.T, document string) []string {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```sql\n")
	block, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatalf("%s has no block of SQL", document)
	}
	return strings.SplitAfter(strings.TrimSpace(block), ";")
}

// rows is how many rows a query has.
func rows(t *testing.T, db *sql.DB, query string) int {
	t.Helper()
	found, err := db.QueryContext(context.Background(), query)
	if err != nil {
		t.Fatalf("%v\n%s", err, query)
	}
	defer found.Close()
	n := 0
	for found.Next() {
		n++
	}
	if err := found.Err(); err != nil {
		t.Fatalf("%v\n%s", err, query)
	}
	return n
}

func TestTheQueriesOfTheDocumentFindRows(t *testing.T) {
	document, err := filepath.Abs("../../docs/sweeps.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(swept(t))
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	found := 0
	for _, query := range queries(t, document) {
		if strings.TrimSpace(query) == "" {
			continue
		}
		found++
		if rows(t, db, query) == 0 {
			t.Errorf("no rows:\n%s", query)
		}
	}
	if found != 4 {
		t.Errorf("%d queries", found)
	}
	// An empty text is one where a column has texts, and null in the table of variants alone.
	for table, null := range map[string]string{"runs": "none", "resources": "none", "pods": "none", "variants": ""} {
		both := "(FROM read_csv('" + table + ".csv', header = true, nullstr = '" + null + "') EXCEPT FROM '" + table +
			".parquet')"
		if rows(t, db, both) != 0 || rows(t, db, "FROM '"+table+".parquet'") == 0 {
			t.Errorf("%s: CSV and Parquet differ, or are empty", table)
		}
	}
}
