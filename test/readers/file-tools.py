# What DuckDB reads in a file of SQLite, as JSON. Argument: the statements of docs/export.md. test/recipes.test.ts runs it.
import glob, json, os, sys

import duckdb, duckdb_extension_sqlite_scanner

(extension,) = glob.glob(os.path.dirname(duckdb_extension_sqlite_scanner.__file__) + '/**/*.duckdb_extension', recursive=True)
connection = duckdb.connect()
connection.execute(f"load '{extension}'")
assert connection.execute(sys.argv[1]).fetchone()[0] > 0
print(json.dumps(connection.sql('select count(*), sum(fid), max(timestamp) from rookery.casts').fetchone()))
