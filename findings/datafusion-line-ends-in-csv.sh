#!/usr/bin/env bash
# Package: datafusion 55.0.0 of PyPI. Seen 2026-11-29.
# Expected: with `newlines_in_values=True` a CSV whose texts have line ends in quotes is read, however large it is.
# Seen: one of 8 KiB and less is; in a larger one guessing the types of columns fails with "unterminated string" or "unequal lengths
#   between records", by where the first 8 KiB end. With a schema it is read.
# Output: the text between the lines OUTPUT below.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv python
python/bin/pip install --quiet datafusion==55.0.0 pyarrow==26.0.1
cat >check.py <<'CODE'
import datafusion, pyarrow

schema = pyarrow.schema([('id', pyarrow.int64()), ('text', pyarrow.string())])


def read(lines, **options):
    with open('table.csv', 'w', newline='') as file:
        file.write('id,text\n1,"two\nlines"\n' + f'2,"{"x" * 80}"\n' * lines)
    options = datafusion.CsvReadOptions(newlines_in_values=True, **options)
    try:
        return len(datafusion.SessionContext().read_csv('table.csv', options=options).to_pylist())
    except Exception:
        return 'no'


print('7 kB:', read(80), 'rows')
print('17 kB:', read(200), 'rows')
print('17 kB with a schema:', read(200, schema=schema), 'rows')
CODE
python/bin/python check.py >seen
diff - seen <<'OUTPUT'
7 kB: 81 rows
17 kB: no rows
17 kB with a schema: 201 rows
OUTPUT
echo 'as seen before'
