# What a new ClickHouse makes of the statements of docs/export-clickhouse.sql and of bodies that an export sends, as JSON.
# Argument: a JSON file of both. test/clickhouse.test.ts runs it.
import json, sys

from chdb import session

given = json.load(open(sys.argv[1]))
connection = session.Session()
for text in given['statements']:
    connection.query(text)
for table, body in given['bodies']:
    options = 'settings date_time_input_format = \'best_effort\''
    connection.query(f'insert into rookery.{table}_rows {options} format JSONEachRow {body}')
options = 'settings output_format_json_quote_64bit_integers = 0, date_time_output_format = \'iso\''
answers = {
    table: [json.loads(line) for line in str(connection.query(f'select * from rookery.{table} {options}', 'JSONEachRow').data()).splitlines()]
    for table in given['tables']
}
print(json.dumps(answers))
