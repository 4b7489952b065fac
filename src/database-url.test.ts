import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDatabaseUrl } from './database-url.ts'

test('a URL with one host may go to any server', () => {
  const url = 'postgres://user:pass%40word@db.example:5433/name?application_name=x'
  assert.deepEqual(parseDatabaseUrl(url), { hosts: [url], target: 'any' })
})

test('a URL with several hosts becomes one for each host and goes to the writable one', () => {
  assert.deepEqual(parseDatabaseUrl('postgresql://u:p@a,b:5433,[::1]:5434/name'), {
    hosts: ['a', 'b:5433', '[::1]:5434'].map((host) => `postgresql://u:p@${host}/name`),
    target: 'read-write',
  })
})

test('target_session_attrs decides which server is taken and is not sent to the server', () => {
  for (const target of ['any', 'read-write', 'read-only', 'primary', 'standby'] as const) {
    const parsed = parseDatabaseUrl(`postgres://a,b/n?target_session_attrs=${target}`)
    assert.deepEqual(parsed, { hosts: ['postgres://a/n', 'postgres://b/n'], target })
  }
})

test('sslmode has the meaning that psql gives it', () => {
  const { hosts } = parseDatabaseUrl('postgres://a/n?sslmode=require')
  assert.deepEqual(hosts, ['postgres://a/n?sslmode=require&uselibpqcompat=true'])
})

test('a socket directory may stand in place of a host', () => {
  const { hosts } = parseDatabaseUrl('postgres:///name?host=/var/run/postgresql')
  assert.deepEqual(hosts, ['postgres:///name?host=%2Fvar%2Frun%2Fpostgresql'])
})

test('what is not a database URL is refused without repeating it', () => {
  const faulty = [
    '',
    'localhost',
    'mysql://u:secret@h/n',
    'postgres://u:secret@h:port/n',
    'postgres://u:secret@a,b:99999/n',
    'postgres://u:secret@h/n?target_session_attrs=best',
  ]
  for (const text of faulty) {
    assert.throws(
      () => parseDatabaseUrl(text),
      (error: Error) => /^must /.test(error.message) && !/secret/.test(error.message),
    )
  }
})
