# What DuckDB reads in a file of SQLite, as JSON. Argument: the file. test/recipes.test.ts runs it.
import glob, json, os, sys

import duckdb, duckdb_extension_sqlite_scanner

(extension,) = glob.glob(os.path.dirname(duckdb_extension_sqlite_scanner.__file__) + '/**/*.duckdb_extension', recursive=True)
connection = duckdb.connect()
connection.execute(f"load '{extension}'")
connection.execute(f"attach '{sys.argv[1]}' as rookery (type sqlite, read_only)")
print(json.dumps(connection.sql('select count(*), sum(fid), max(timestamp) from rookery.casts').fetchone()))
