# What readers make of each column of an export: prints a table of Markdown. Arguments: a directory with casts and keys in
# every format, and a JSON file of the rows as they are. test/readers.test.ts runs it.
import datetime, importlib.metadata, json, math, sys

import chdb, daft, datafusion, duckdb, fastparquet, pandas, polars, pyarrow.csv, pyarrow.json, pyarrow.parquet

directory, model = sys.argv[1], json.load(open(sys.argv[2]))
TIMES = {'timestamp', 'added_at', 'removed_at'}
LISTS = {'mentions', 'mention_positions', 'embeds'}


def path(table, form):
    return f'{directory}/{table}-00001.{form}'


def frame(data):
    return [{name: data[name].iloc[i] for name in data.columns} for i in range(len(data))]


def of_duckdb(table, form, options=''):
    function = {'parquet': 'read_parquet', 'csv': 'read_csv', 'ndjson': 'read_json'}[form]
    rows = duckdb.sql(f"select * from {function}('{path(table, form)}'{options})")
    return [dict(zip(rows.columns, row)) for row in rows.fetchall()]


def of_polars(table, form):
    read = {'parquet': polars.read_parquet, 'csv': polars.read_csv, 'ndjson': polars.read_ndjson}[form]
    return read(path(table, form)).to_dicts()


def of_pyarrow(table, form):
    if form == 'parquet':
        data = pyarrow.parquet.read_table(path(table, form))
    elif form == 'csv':
        data = pyarrow.csv.read_csv(
            path(table, form),
            parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False),
        )
    else:
        data = pyarrow.json.read_json(path(table, form))
    return data.to_pylist()


def of_pandas(table, form, **options):
    if form == 'parquet':
        return frame(pandas.read_parquet(path(table, form), engine='pyarrow', **options))
    if form == 'csv':
        return frame(pandas.read_csv(path(table, form), **options))
    return frame(pandas.read_json(path(table, form), lines=True, **options))


def of_datafusion(table, form):
    context = datafusion.SessionContext()
    if form == 'parquet':
        data = context.read_parquet(path(table, form))
    elif form == 'csv':
        options = datafusion.CsvReadOptions(newlines_in_values=True, file_extension='.csv')
        data = context.read_csv(path(table, form), options=options)
    else:
        data = context.read_json(path(table, form), file_extension='.ndjson')
    return data.to_pylist()


def of_daft(table, form):
    read = {'parquet': daft.read_parquet, 'csv': daft.read_csv, 'ndjson': daft.read_json}[form]
    return read(path(table, form)).to_pylist()


def of_fastparquet(table, form):
    return frame(fastparquet.ParquetFile(path(table, form)).to_pandas())


def of_chdb(table, form):
    name = {'parquet': 'Parquet', 'csv': 'CSVWithNames', 'ndjson': 'JSONEachRow'}[form]
    query = f"select * from file('{path(table, form)}', {name})"
    types = dict(
        (row['name'], row['type'])
        for row in map(json.loads, str(chdb.query(f'describe ({query})', 'JSONEachRow').data()).splitlines())
    )
    options = 'settings output_format_json_quote_64bit_integers = 0, date_time_output_format = \'iso\''
    rows = [json.loads(line) for line in str(chdb.query(f'{query} {options}', 'JSONEachRow').data()).splitlines()]
    for row in rows:
        for column in TIMES & set(row):
            if 'DateTime' in types[column] and row[column] is not None:
                row[column] = datetime.datetime.fromisoformat(row[column].replace('Z', '+00:00'))
    return rows


READERS = [
    ('DuckDB', 'duckdb', of_duckdb, ['parquet', 'csv', 'ndjson']),
    ('DuckDB, `allow_quoted_nulls = false`', 'duckdb', lambda t, f: of_duckdb(t, f, ', allow_quoted_nulls = false'), ['csv']),
    ('polars', 'polars', of_polars, ['parquet', 'csv', 'ndjson']),
    ('pyarrow, `quoted_strings_can_be_null=False`', 'pyarrow', of_pyarrow, ['parquet', 'csv', 'ndjson']),
    ('pandas', 'pandas', of_pandas, ['parquet', 'csv', 'ndjson']),
    ('pandas, `dtype_backend="pyarrow"`', 'pandas', lambda t, f: of_pandas(t, f, dtype_backend='pyarrow'), ['parquet', 'csv', 'ndjson']),
    ('ClickHouse (chdb)', 'chdb', of_chdb, ['parquet', 'csv', 'ndjson']),
    ('DataFusion', 'datafusion', of_datafusion, ['parquet', 'csv', 'ndjson']),
    ('Daft', 'daft', of_daft, ['parquet', 'csv', 'ndjson']),
    ('fastparquet', 'fastparquet', of_fastparquet, ['parquet']),
]


def plain(value):
    if hasattr(value, 'to_pydatetime'):
        value = value.to_pydatetime() if value is not pandas.NaT else None
    if value is None or value is pandas.NA or value is pandas.NaT:
        return None
    if isinstance(value, (str, bool, dict, list, datetime.datetime)):
        return [plain(one) for one in value] if isinstance(value, list) else value
    if hasattr(value, 'tolist'):
        return plain(value.tolist())
    if isinstance(value, float) and math.isnan(value):
        return None
    return value


def fault(column, seen, true):
    """How a cell differs; None: it does not."""
    if seen is None:
        if true is None:
            return None
        return 'an empty text is null' if true == '' else 'null'
    if true is None:
        return 'a null is an empty list' if seen == [] else 'a null is an empty text' if seen == '' else f'a null is {seen}'
    if column in TIMES:
        if isinstance(seen, str):
            return 'text'
        if not isinstance(seen, datetime.datetime):
            return type(seen).__name__
        if seen.tzinfo is None:
            return 'no zone'
        same = seen == datetime.datetime.fromisoformat(true.replace('Z', '+00:00'))
        return None if same else 'another time'
    if column in LISTS and isinstance(seen, str):
        return 'JSON text' if json.loads(seen) == true else 'text'
    if isinstance(seen, float):
        return 'float'
    if type(seen) is not type(true):
        return type(seen).__name__
    if isinstance(true, str) and '\0' in true and seen == true.replace('\0', '\ufffd'):
        return 'U+FFFD for zero bytes'
    return None if seen == true else 'another value'


def verdict(read, form):
    faults = {}
    for table, rows in model.items():
        try:
            found = {row['hash']: row for row in read(table, form)}
        except Exception as error:
            return f'cannot be read: {type(error).__name__}'
        if len(found) != len(rows):
            return f'{table}: {len(found)} of {len(rows)} rows'
        for row in rows:
            own = found.get(row['hash'])
            if own is None:
                return f'{table}: rows are divided otherwise, such as {plain(next(iter(found)))!r} for a hash'
            for column, true in row.items():
                seen = plain(own.get(column))
                what = fault(column, seen, true)
                if what and column not in faults.setdefault(what, []):
                    faults[what].append(column)
    texts = [f'{what}: {", ".join(f"`{column}`" for column in sorted(columns))}' for what, columns in sorted(faults.items())]
    return '; '.join(texts) or 'every cell as it is'


print('| Reader | Version | Format | What differs |\n| --- | --- | --- | --- |')
for name, package, read, forms in READERS:
    for form in forms:
        print(f'| {name} | {importlib.metadata.version(package)} | {form} | {verdict(read, form)} |')

# A join across formats by the time finds every row, whatever the zone of the reader is.
for left, right in [('parquet', 'csv'), ('csv', 'ndjson'), ('ndjson', 'parquet')]:
    for table, rows in model.items():
        for name, read in [('DuckDB', of_duckdb), ('ClickHouse', of_chdb), ('Daft', of_daft)]:
            key = lambda row: (row['hash'], row['timestamp'])
            both = set(map(key, read(table, left))) & set(map(key, read(table, right)))
            assert len(both) == len(rows), f'{name}: {len(both)} of {len(rows)} rows of {table} in {left} and {right}'
