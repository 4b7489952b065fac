import { SCHEMA } from '../../../store.ts'
// What an erasure and an export must do is declared at each column, so that a new table cannot be forgotten.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { VIEW_TABLES } from '../views/views.ts'
import { type Field, table } from './table.ts'

const ALL = [...SCHEMA.tables, ...VIEW_TABLES]
const columnsOf = ({ fields }: { fields: Readonly<Record<string, Field>> }) =>
  Object.entries(fields)

const isText = (type: Field['type']) => ['line', 'text', 'link'].includes(type)

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

  test('every column that names an account says whether its export has the row, whatever its type is', () => {
    const silent = ALL.flatMap((one) =>
      columnsOf(one)
        .filter(([, field]) => field.erasure !== undefined && field.exported === undefined)
        .map(([name]) => `${one.name}.${name}`),
    )
    assert.deepEqual(silent, [])
  })

  test('every column of an exported row that may hold a secret or a private note says whether it is withheld', () => {
    const mayBeSecret =
      /secret|token|seed|private|salt|proof|signature|password|reason|resolution|note$|_by$/
    const exported = ALL.filter((one) =>
      columnsOf(one).some(([, field]) => field.exported === true),
    )
    const silent = exported.flatMap((one) =>
      columnsOf(one)
        .filter(([name, { type }]) => type === 'bytes' || (isText(type) && mayBeSecret.test(name)))
        .filter(([, { withheld, exported }]) => withheld === undefined && exported === undefined)
        .map(([name]) => `${one.name}.${name}`),
    )
    assert.ok(exported.length > 35)
    assert.deepEqual(silent, [])
  })

  test('every table that holds words of people says whose they are and that an erasure removes them', () => {
    const reaches = ({ erasure }: Field) =>
      erasure !== undefined && (typeof erasure === 'string' || 'by' in erasure)
    const unreached = ALL.filter(
      (one) =>
        columnsOf(one).some(([, field]) => field.words) &&
        !columnsOf(one).some(([, field]) => reaches(field)),
    )
    // Of people who have no account yet: it goes when they have one, and with each decision against it.
    assert.deepEqual(
      unreached.map(({ name }) => name),
      ['join_request'],
    )
  })

  test('a column that names an account or holds text does not compile without its duty', () => {
    // @ts-expect-error no erasure is declared
    table('a', { fid: { type: 'fid', exported: true, key: true } })
    // @ts-expect-error nobody says whether the export of the account has the row
    table('d', { fid: { type: 'fid', erasure: 'delete', key: true } })
    // @ts-expect-error nobody says whether these are words of a person
    table('b', { name: { type: 'line', key: true } })
    table('c', { kind: { type: 'line', key: true, values: ['one', 'other'] } })
  })
})
