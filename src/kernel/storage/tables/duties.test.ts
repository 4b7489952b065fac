import { SCHEMA } from '../../../store.ts'
// What an erasure must do is declared at each column, so that a new table cannot be forgotten.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { VIEW_TABLES } from '../views/views.ts'
import { type Field, table } from './table.ts'

const ALL = [...SCHEMA.tables, ...VIEW_TABLES]
const columnsOf = ({ fields }: { fields: Readonly<Record<string, Field>> }) =>
  Object.entries(fields)

describe('the duties of tables', () => {
  test('every column that names an account says what an erasure does, whatever its type is', () => {
    const silent = ALL.flatMap((one) =>
      columnsOf(one)
        .filter(([name, field]) => /(^|_)fids?$/.test(name) && field.erasure === undefined)
        .map(([name]) => `${one.name}.${name}`),
    )
    // A summary of one run over all accounts.
    assert.deepEqual(silent, ['badge_run.fids'])
  })

  test('every table that holds words of people says whose they are and that an erasure removes them', () => {
    const reaches = ({ erasure }: Field) =>
      erasure !== undefined && (typeof erasure === 'string' || 'by' in erasure)
    const unreached = ALL.filter(
      (one) =>
        columnsOf(one).some(([, field]) => field.words) &&
        !columnsOf(one).some(([, field]) => reaches(field)),
    )
    assert.deepEqual(
      unreached.map(({ name }) => name),
      [],
    )
  })

  test('a column that names an account or holds text does not compile without its duty', () => {
    // @ts-expect-error no erasure is declared
    table('a', { fid: { type: 'fid', key: true } })
    // @ts-expect-error nobody says whether these are words of a person
    table('b', { name: { type: 'line', key: true } })
    table('c', { kind: { type: 'line', key: true, values: ['one', 'other'] } })
  })
})
