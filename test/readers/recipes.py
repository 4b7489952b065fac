# Answers of the recipes of docs/recipes.md by DuckDB, ClickHouse, polars and pandas, as JSON. Argument: a JSON file with the
# blocks that open the tables, and the questions. test/recipes.test.ts runs it.
import json, sys

import duckdb
from chdb import session

recipes = json.load(open(sys.argv[1]))
opens, questions = recipes['opens'], recipes['questions']


def statements(block):
    return [text for text in block.split(';\n') if text.strip()]


def of_duckdb():
    connection = duckdb.connect()
    for text in statements(opens['DuckDB']):
        connection.execute(text)
    return lambda question: connection.execute(question['sql']).fetchall()


def of_clickhouse():
    connection = session.Session()
    for text in statements(opens['ClickHouse']):
        connection.query(text)
    options = ' settings output_format_json_quote_64bit_integers = 0'

    def ask(question):
        lines = str(connection.query(question['sql'] + options, 'JSONCompactEachRow').data())
        return [json.loads(line) for line in lines.splitlines()]

    return ask


def of_polars():
    names = {}
    exec(opens['polars'], names)
    return lambda question: names['ask'](question['sql']).rows()


def of_pandas():
    names = {}
    exec(opens['pandas'], names)

    def ask(question):
        exec(question['python'], names)
        return names['answer'].values.tolist()

    return ask


answers = {}
for name, opened in [('DuckDB', of_duckdb), ('ClickHouse', of_clickhouse), ('polars', of_polars), ('pandas', of_pandas)]:
    ask = opened()
    answers[name] = {}
    for question in questions:
        try:
            answers[name][question['title']] = [list(map(str, row)) for row in ask(question)]
        except Exception as error:
            answers[name][question['title']] = f'{type(error).__name__}: {error}'
print(json.dumps(answers))
